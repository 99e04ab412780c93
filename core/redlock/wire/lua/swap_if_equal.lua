-- Gives a lock another token and another ttl, which may be shorter than what it has left.
--
-- KEYS[1] key, ARGV[1] old token, ARGV[2] fresh token, ARGV[3] ttl in ms. 1 when the key held the
-- old token, or that was a reader's, else 0. Of readers only this one gets another.
--
-- As an extend: the vote counts by this from now on, and a join that speaks of the old token,
-- however late, gives nothing away.
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
if not held then return 0 end
if held == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else
--include part_readers
--include part_last
--include part_enter
--include part_go_out
  if held ~= shared or not reader_until(ARGV[1], held) then return 0 end
  enter(ARGV[2], ARGV[3], held)
  go_out(ARGV[1], held)
end
if redis.pcall('HLEN', waiters) == 0 then return 1 end
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
  redis.pcall('HDEL', waiters, '')
end
redis.pcall('HDEL', waiters, ARGV[1], '>' .. ARGV[1])
redis.pcall('ZREM', KEYS[1] .. ':redlock:line', ARGV[1])
return 1
