-- Records a fence for locks that are held, where it is larger than the last one.
--
-- KEYS the keys, ARGV[1] token, ARGV[2] the proposed fence, ARGV[3] its ttl in ms. RAISED
-- and the fence, a status, when all keys hold the token, or it is a reader's, and the fence is recorded: no other's answer
-- is taken for it where one is left out. The last one as text when it is not larger, else LOST.
-- A reader is one of a single lock.
--include part_readers
for _, key in ipairs(KEYS) do
  local held = redis.call('GET', key)
  if held ~= ARGV[1] and (#KEYS > 1 or not reader_until(ARGV[1], held)) then
    return redis.status_reply('LOST')
  end
end
--include part_fence
return record(ARGV[2], ARGV[3]) and redis.status_reply('RAISED ' .. ARGV[2]) or last
