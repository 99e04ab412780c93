-- Until when the last of the readers is in.
local function last_until(now)
  redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
  return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
