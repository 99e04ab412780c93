-- Whether a stamp is ours.
--
-- KEYS[1] key, ARGV[1] our stamp, ARGV[2] "1" when a stamp without a fraction counts as ours. 1 when
-- it is, else 0.
local held = redis.call('GET', KEYS[1])
if not held then return 0 end
if held == ARGV[1] then return 1 end
if ARGV[2] == '1' and string.match(held, '^%d+$') then return 1 end
return 0
