-- Takes a lock as SET does, and records a fence where it is larger than the last one.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms, ARGV[3] the proposed fence, ARGV[4] the fence's ttl
-- in ms. What SET answers, OK or nothing; where the lock was taken and the fence is not larger, the
-- last one as text.
--include part_fence
local taken = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if not taken then return taken end
if tonumber(ARGV[3]) <= tonumber(last) then return last end
redis.call('SET', fence, ARGV[3], 'PX', ARGV[4])
return taken
