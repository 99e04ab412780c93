-- Removes a token, and hands the lock on to the first in line.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] "0" when what it frees stays free. 1 when the key held the
-- token, or the token was a reader's, else 0.
--
-- Who could not leave, on a server that takes no writes, is told so. Behind which join the lock was
-- given is forgotten with the token, also where it has expired before.
--include part_names
--include part_remove
--include part_enter
--include part_line
--include part_tell
--include part_serve
local first = rest and at(0)
local given = call('HGET', waiters, '')
local named = type(given) == 'string' and string.match(given, '^%d+ (.*)$') == me
local _, left = leave(me, (held == me or named) and '')
call('HDEL', waiters, '>' .. me)
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
stays_free, open = ARGV[2] == '0', rest == shared
if not rest or open and (first == me or held == me) then
  serve(true)
elseif first == me then
  serve(false)
end
return had and 1 or 0
