-- Prolongs a lock, and never shortens it.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms. 1 when the key holds the token, or the token is a
-- reader's, else 0. Of readers it prolongs only this one's part; the key lives as long as the last.
--
-- Behind which join the lock was given is forgotten: a vote that an extend has counted, or that is
-- repaired again behind one, must not be given away by a later join that was overtaken on its way.
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
  redis.pcall('HDEL', waiters, '')
end
if not held then return 0 end
if held ~= ARGV[1] then
--include part_readers
  local ends = reader_until(ARGV[1], held)
  if not ends then return 0 end
  redis.pcall('HDEL', waiters, '>' .. ARGV[1])
  local until_ms = now_ms() + ARGV[2]
  if ends >= until_ms then return 1 end
  redis.call('ZADD', readers, whole(until_ms), ARGV[1])
  if redis.call('PTTL', readers) < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', readers, ARGV[2])
  end
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
