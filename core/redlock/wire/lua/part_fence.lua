-- What the last fence is, of several locks the largest, and how one is recorded.
--
-- It is remembered for no shorter than others wished. The fences' keys are named here and not by
-- the caller, as those of the line. What is no number is refused before anything is written.
local last = '0'
for _, key in ipairs(KEYS) do
  local here = redis.call('GET', key .. ':redlock:fence') or '0'
  if not string.match(here, '^%d+$') or #here > 16 then
    return redis.error_reply('FENCE the key of the fence holds something else')
  end
  if tonumber(here) > tonumber(last) then last = here end
end
local function record(proposal, ttl)
  if tonumber(proposal) <= tonumber(last) then return false end
  for _, key in ipairs(KEYS) do
    local left = redis.call('PTTL', key .. ':redlock:fence')
    local longest = left > tonumber(ttl) and string.format('%.0f', left) or ttl
    redis.call('SET', key .. ':redlock:fence', proposal, 'PX', longest)
  end
  return true
end
