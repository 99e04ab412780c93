-- Removes a token, and hands the lock on to the first in line.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] "0" when what it frees stays free. 1 when the key held the
-- token, else 0.
--
-- Who could not leave, on a server that takes no writes, is told so.
--include part_names
--include part_remove
--include part_serve
local free = held == me or not held
local first = not free and at(0)
local _, left = leave(me, held == me and '')
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
stays_free = ARGV[2] == '0'
if free then serve(true) elseif first == me then serve(false) end
return held == me and 1 or 0
