-- Lets others share a lock that somebody has alone.
--
-- KEYS[1] key, ARGV[1] token. 1 when the key held the token, which is a reader's now until the key
-- would have ended, or when it was one before; else 0. Those first in line who share it are let in.
--include part_names
--include part_readers
--include part_last
--include part_enter
--include part_go_out
local held = redis.call('GET', key)
if held ~= me then return reader_until(me, held) and 1 or 0 end
local left = redis.call('PTTL', key)
if left < 1 then return 0 end
redis.call('DEL', readers)
redis.call('ZADD', readers, whole(now_ms() + left), me)
redis.call('PEXPIRE', readers, left)
redis.call('SET', key, shared, 'PX', left)
local known = call('HLEN', waiters)
if type(known) == 'table' or known == 0 then return 1 end
--include part_line
--include part_tell
--include part_serve
local given = call('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == me then
  call('HDEL', waiters, '')
end
open = shared
serve(true)
return 1
