-- Deletes the key that holds the token, or lets a reader go, and ends where nobody waits.
--
-- What is left under the key is `rest`. Where the token came of a promotion, whoever was promoted is
-- a reader again; where he has left meanwhile, or was promoted from what has ended, nobody is.
--
-- The usual case comes first, a lock that somebody had alone and nobody waits for, with one question
-- about both of its neighbours: what is said of readers below costs time even where nobody calls it.
local held, readers = call('GET', key), key .. ':redlock:readers'
local had, rest = held == me, held
if had and call('EXISTS', readers, waiters) == 0 then
  redis.call('DEL', key)
  return 1
end
if had and call('ZSCORE', readers, me) ~= '0' then
  redis.call('DEL', key)
  rest = false
end
--include part_readers
--include part_last
--include part_go_out
if had and rest then
  rest = go_out(me, held)
elseif rest and reader_until(me, held) then
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
