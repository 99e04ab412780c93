-- Gives several locks another token and ttl, all or none.
--
-- KEYS the keys, ARGV as swap_if_equal has them. 1 when all keys held the token, else 0.
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then return 0 end
end
local function swap(KEYS)
--include swap_if_equal
end
for _, key in ipairs(KEYS) do swap({key}) end
return 1
