-- What stands under a lock's key, and who waits for it.
--
-- KEYS[1] key. Its PTTL (-2 where there is none), how many stand in line for it (-1 where the
-- server does not let us count them), who the first of them are, and its value, as Inspect says.
-- Where that is the readers' marker, how many they are stands behind it.
local held, line = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:line'
local waiting, clock = redis.pcall('ZCARD', line), redis.pcall('TIME')
if type(waiting) ~= 'number' then waiting = -1 end
local first = waiting > 0 and clock[1] and redis.pcall('ZRANGE', line, 0, 15, 'WITHSCORES') or {}
local said = string.format('%.0f %d %d ', redis.call('PTTL', KEYS[1]), waiting, #first / 2)
for i = 1, #first, 2 do
  local waited = clock[1] * 1000 + math.floor(clock[2] / 1000) - first[i + 1]
  said = said .. string.format('%.0f %d:', waited, #first[i]) .. first[i]
end
if held ~= 'redlock:shared' or not clock[1] then return said .. (held or '') end
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local since = string.format('(%.0f', now)
local readers = redis.pcall('ZCOUNT', KEYS[1] .. ':redlock:readers', since, '+inf')
return said .. held .. (type(readers) == 'number' and ' ' .. readers or '')
