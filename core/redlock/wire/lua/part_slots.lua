-- Which of the slots are free: when the next one ends, as PTTL says it (-2: one is free; -1: none
-- ever ends), and a digit for each slot, 1 where it is free.
local function slots(line, permits)
  local soonest, digits = -1, {}
  for slot = 1, permits do
    local left = redis.call('PTTL', line .. ':' .. slot - 1)
    digits[slot] = left == -2 and '1' or '0'
    if soonest == -1 or left ~= -1 and left < soonest then soonest = left end
  end
  return string.format('%.0f', soonest), table.concat(digits)
end
