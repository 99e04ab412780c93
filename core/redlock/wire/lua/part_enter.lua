-- How somebody becomes a reader. Under a free key he is the only one, whoever is in the set yet. Then
-- the score is asked for nothing but the right to: without it he could not leave again.
local function enter(who, ttl, held)
  local now, left = now_ms(), ttl
  if not held then redis.call('DEL', readers) end
  redis.call('ZADD', readers, whole(math.max(now + ttl, held and score(who) or 0)), who)
  if held then
    left = whole(last_until(now) - now)
    redis.call('PEXPIRE', KEYS[1], left)
  else
    redis.call('ZSCORE', readers, who)
    redis.call('SET', KEYS[1], shared, 'PX', left)
  end
  redis.call('PEXPIRE', readers, left)
end
