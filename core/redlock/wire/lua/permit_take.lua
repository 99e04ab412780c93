-- Takes one slot of a resource with permits.
--
-- KEYS[1] the slot's key, ARGV[1] token, ARGV[2] ttl in ms, ARGV[3] how many slots there are. OK
-- when it was absent. Else, as text, when the next slot ends, a blank, and which slots are free, as
-- part_slots says. The other slots' keys are named here.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.status_reply('OK') end
--include part_slots
local left, free = slots(string.match(KEYS[1], '^(.*):'), tonumber(ARGV[3]))
return left .. ' ' .. free
