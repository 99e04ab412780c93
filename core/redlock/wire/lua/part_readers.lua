-- Who shares a lock, and until when.
--
-- While a lock is shared its key holds the marker, so that everybody else finds it taken, and its
-- readers stand in a sorted set beside it: a token, and when it ends by this server's clock, in ms.
-- The key lives until the last of them ends. Without the key nobody in the set is a reader: it was
-- lost, and who came next may have had it alone.
--
-- Under the key's own token there may be one whom that came of, by a promotion: then the token
-- stands in the set, too, with the score 0, and is no reader. Who it came of is one still.
local readers, shared = KEYS[1] .. ':redlock:readers', 'redlock:shared'
local time
local function now_ms()
  time = time or redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function whole(number) return string.format('%.0f', number) end
local function score(who)
  local found = redis.pcall('ZSCORE', readers, who)
  return type(found) == 'string' and tonumber(found) or nil
end
local function reader_until(who, held)
  if type(held) ~= 'string' or held ~= shared and score(held) ~= 0 then return nil end
  local ends = score(who)
  return ends and ends > now_ms() and ends or nil
end
