-- Records a fence for a lock that is held, where it is larger than the last one.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] the proposed fence, ARGV[3] its ttl in ms. 1 when the key
-- holds the token and the fence is recorded, the last one as text when it is not larger, else 0.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
--include part_fence
if tonumber(ARGV[2]) <= tonumber(last) then return last end
redis.call('SET', fence, ARGV[2], 'PX', ARGV[3])
return 1
