-- Gives the only reader of a lock the lock alone, under a fresh token.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] fresh token, ARGV[3] ttl in ms. PROMOTED, a status, when there
-- was no other reader, or the key held the token already: now it holds the fresh one, for the ttl
-- and no shorter than before. BUSY 1 when others share it, or an earlier promotion of the same
-- reader stands there yet, LOST when the token is no reader's.
--
-- The reader goes on standing beside it, and the fresh token too, as what came of it: where that is
-- removed the lock is shared again. As an extend: no join that speaks of the token gives it away.
--include part_names
--include part_readers
--include part_last
local held, now, ends = redis.call('GET', key), now_ms(), nil
if held == me then
  redis.call('DEL', readers)
  ends = now + math.max(redis.call('PTTL', key), 0)
else
  ends = reader_until(me, held)
end
if not ends then return redis.status_reply('LOST') end
if held ~= me then
  last_until(now)
  if held ~= shared or redis.call('ZCARD', readers) > 1 then return redis.status_reply('BUSY 1') end
end
local left = whole(math.max(ends - now, tonumber(ARGV[3])))
redis.call('ZADD', readers, whole(ends), me, '0', ARGV[2])
redis.call('PEXPIRE', readers, left)
redis.call('SET', key, ARGV[2], 'PX', left)
local given = call('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == me then
  call('HDEL', waiters, '')
end
call('HDEL', waiters, '>' .. me)
return redis.status_reply('PROMOTED')
