-- Prolongs a lock, and never shortens it.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms. 1 when the key holds the token, else 0.
--
-- Behind which join the lock was given is forgotten: a vote that an extend has counted, or that is
-- repaired again behind one, must not be given away by a later join that was overtaken on its way.
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
  redis.pcall('HDEL', waiters, '')
end
if held ~= ARGV[1] then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
