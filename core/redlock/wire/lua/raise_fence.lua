-- Records a fence for locks that are held, where it is larger than the last one.
--
-- KEYS the keys, ARGV[1] token, ARGV[2] the proposed fence, ARGV[3] its ttl in ms. 1 when all keys
-- hold the token and the fence is recorded, the last one as text when it is not larger, else 0.
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then return 0 end
end
--include part_fence
return record(ARGV[2], ARGV[3]) and 1 or last
