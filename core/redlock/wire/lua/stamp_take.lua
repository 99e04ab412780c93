-- Takes a lock whose value is the time at which it ends.
--
-- KEYS[1] key, ARGV[1] lease in ms, ARGV[2] fraction digits, ARGV[3] ms per stamp unit. The stored
-- stamp when taken, 0 when a live stamp stands there, an error when what stands there is no stamp,
-- or one in another unit.
--
-- A win needs now > stamp: whole units on both sides, so the fraction never matters.
--
-- A stamp in another unit is about a thousand times off this clock. Told are those that are 100 to
-- 10,000 times off: of seconds read as milliseconds, every date from 1975 on and every lease of up
-- to 100 years; but of milliseconds only dates of the year 1970, so that no stamp that was once
-- right is too old to be taken.
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return held end
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
if held then
  local stamp = tonumber(string.match(held, '^(%d+)%.?%d*$') or '')
  if not stamp then return redis.error_reply('FOREIGN the value is no timestamp') end
  local now = math.floor(now_ms / ARGV[3])
  if stamp >= now * 100 and stamp <= now * 10000 then return redis.error_reply('UNIT too fine') end
  local coarse = ARGV[3] == '1' and stamp <= now / 100 and stamp >= now / 10000
  if coarse then return redis.error_reply('UNIT too coarse') end
  if now <= stamp then return 0 end
end
local mine = string.format('%.0f', math.floor((now_ms + ARGV[1]) / ARGV[3])) .. '.' .. ARGV[2]
redis.call('SET', KEYS[1], mine, 'PX', ARGV[1])
return mine
