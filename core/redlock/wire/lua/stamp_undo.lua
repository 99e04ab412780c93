-- Removes a stamp that an attempt may have left.
--
-- KEYS[1] key, ARGV[1] fraction digits. 1 when it was there, else 0.
local held = redis.call('GET', KEYS[1])
if held and string.match(held, '^%d+%.(%d+)$') == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
