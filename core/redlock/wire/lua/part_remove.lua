-- Deletes the key that holds the token, or lets a reader go, and ends where nobody waits.
--
-- What is left under the key is `rest`. Where the token came of a promotion, whoever was promoted is
-- a reader again; where he has left meanwhile, or was promoted from what has ended, nobody is.
local held = call('GET', key)
local had, rest = held == me, held
if had and score(me) == 0 then
  rest = go_out(me, held)
elseif had then
  redis.call('DEL', key)
  rest = false
elseif reader_until(me, held) then
  had = true
  if held == shared then rest = go_out(me, held) else redis.call('ZREM', readers, me) end
end
local known = call('HLEN', waiters)
if type(held) == 'table' then
  call('HDEL', waiters, me)
  call('ZREM', line, me)
  return held
end
if type(known) == 'table' or known == 0 then return had and 1 or 0 end
