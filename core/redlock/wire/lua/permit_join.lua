-- Stands in the line for a permit, and tells which slots are free.
--
-- KEYS[1] the name of the line, under which no key stands; ARGV as join has it, with policy "0";
-- ARGV[7] how many slots there are. As join answers, but the first word is when the next slot ends,
-- and behind a blank it says which slots are free, as part_slots says. The slots' keys are named
-- here. To stand and to look is one step: no slot that gets free in between goes untold.
local function join(KEYS)
--include join
end
local said = join(KEYS)
if type(said) ~= 'string' then return said end
--include part_slots
local left, free = slots(KEYS[1], tonumber(ARGV[7]))
return left .. string.match(said, ' .*') .. ' ' .. free
