-- Removes a token from a slot, and tells the first who waits for a permit that this slot is free.
--
-- KEYS[1] the slot's key, the rest and the answer as pass has it. The line's name is that of the
-- slot without its number.
--
-- Whoever is told leaves the line, so that the next slot that gets free finds another waiter. Who
-- stands behind him looks a little later, for he may stand still.
local function pass(KEYS)
--include pass
end
local function offer(KEYS, slot)
--include part_names
--include part_line
--include part_tell
  if not clock[1] or newer() then return end
  while turns > 0 do
    turns = turns - 1
    local who, second = unpack(call('ZRANGE', line, 0, 1))
    local channel = who and entry(who)
    if not who or channel == false then return end
    local heard = channel and tell(channel, 'slot ' .. slot .. ' ' .. who) or 0
    if type(heard) == 'table' or not leave(who) then return end
    if heard ~= 0 then return tell_next(second, 0, '100') end
  end
end
local said = pass(KEYS)
local line, slot = string.match(KEYS[1], '^(.*):(%d+)$')
if type(said) ~= 'table' and line and redis.pcall('PTTL', KEYS[1]) == -2 then offer({line}, slot) end
return said
