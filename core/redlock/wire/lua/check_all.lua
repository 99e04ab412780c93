-- Whether several locks are ours.
--
-- KEYS the keys, ARGV[1] token. 1 when all hold it, else 0.
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then return 0 end
end
return 1
