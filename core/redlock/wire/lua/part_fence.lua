-- What the last fence is, beside the lock's key.
--
-- Named here and not by the caller, as the keys of the line. What is no number is refused before
-- anything is written.
local fence = KEYS[1] .. ':redlock:fence'
local last = redis.call('GET', fence) or '0'
if not string.match(last, '^%d+$') or #last > 16 then
  return redis.error_reply('FENCE the key of the fence holds something else')
end
