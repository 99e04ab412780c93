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
local function now_ms()
  local time = redis.call('TIME')
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
local function last_until(now)
  redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
  local last = redis.call('ZRANGE', readers, -1, -1)[1]
  return last and score(last)
end
local function enter(who, ttl, held)
  local now = now_ms()
  if not held then redis.call('DEL', readers) end
  redis.call('ZADD', readers, whole(math.max(now + ttl, score(who) or 0)), who)
  local left = whole(last_until(now) - now)
  if not held then redis.call('SET', KEYS[1], shared, 'PX', left) end
  redis.call('PEXPIRE', KEYS[1], left)
  redis.call('PEXPIRE', readers, left)
end
local function go_out(who, held)
  local now = now_ms()
  redis.call('ZREM', readers, who)
  local ends = last_until(now)
  local left = ends and whole(ends - now)
  if ends and held ~= shared and redis.pcall('SET', KEYS[1], shared, 'PX', left).err then
    ends = nil
  end
  if not ends then redis.call('DEL', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], left) end
  return ends and shared
end
