-- Removes our stamp while enough of it is left.
--
-- KEYS[1] key, ARGV[1] our stamp, ARGV[2] margin in ms, ARGV[3] ms per stamp unit, ARGV[4] "1" when
-- a stamp without a fraction counts as ours. 1 when it was removed, else 0.
--
-- A stamp in seconds stands until the whole second after it has begun. A release that arrives
-- late must not take an old client's live stamp for ours: here, too, our own lease must still run.
local held = redis.call('GET', KEYS[1])
if not held then return 0 end
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function left_ms(value)
  local stamp = tonumber(string.match(value, '^%d+'))
  if ARGV[3] ~= '1' then stamp = stamp + 1 end
  return stamp * ARGV[3] - now_ms
end
local plain = ARGV[4] == '1' and string.match(held, '^%d+$') and left_ms(ARGV[1]) > 0
if held ~= ARGV[1] and not plain then return 0 end
if left_ms(held) > tonumber(ARGV[2]) then return redis.call('DEL', KEYS[1]) end
return 0
