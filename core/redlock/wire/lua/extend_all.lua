-- Prolongs several locks, and never shortens one.
--
-- KEYS the keys, ARGV as extend_if_equal has them. 1 when all keys hold the token, else 0; those that
-- do are prolonged all the same.
local function extend(KEYS)
--include extend_if_equal
end
local all = 1
for _, key in ipairs(KEYS) do
  if extend({key}) == 0 then all = 0 end
end
return all
