-- Gives a lock another token and another ttl, which may be shorter than what the key has left.
--
-- KEYS[1] key, ARGV[1] old token, ARGV[2] fresh token, ARGV[3] ttl in ms. 1 when the key held the
-- old token, else 0.
--
-- As an extend: the vote counts by this from now on, and a join that speaks of the old token,
-- however late, gives nothing away.
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
if held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if redis.pcall('HLEN', waiters) == 0 then return 1 end
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == held then
  redis.pcall('HDEL', waiters, '')
end
redis.pcall('HDEL', waiters, held)
redis.pcall('ZREM', KEYS[1] .. ':redlock:line', held)
return 1
