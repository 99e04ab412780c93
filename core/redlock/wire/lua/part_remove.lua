-- Deletes the key that holds the token, and ends where nobody waits.
local held = call('GET', key)
if held == me then redis.call('DEL', key) end
local known = call('HLEN', waiters)
if type(held) == 'table' then
  call('HDEL', waiters, me)
  call('ZREM', line, me)
  return held
end
if type(known) == 'table' or known == 0 then return held == me and 1 or 0 end
