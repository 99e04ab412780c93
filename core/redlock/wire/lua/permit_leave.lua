-- Leaves the line for a permit.
--
-- KEYS[1] the name of the line, ARGV[1] token. 0, for no key held the token.
--include part_names
call('HDEL', waiters, me)
local left = call('ZREM', line, me)
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
return 0
