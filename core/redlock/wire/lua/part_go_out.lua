-- How a reader leaves. The key goes with the last one.
local function go_out(who, held)
  redis.call('ZREM', readers, who)
  local now = redis.call('ZCARD', readers) > 0 and now_ms()
  local ends = now and last_until(now)
  local left = ends and whole(ends - now)
  if ends and held ~= shared and redis.pcall('SET', KEYS[1], shared, 'PX', left).err then
    ends = nil
  end
  if not ends then redis.call('DEL', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], left) end
  return ends and shared
end
