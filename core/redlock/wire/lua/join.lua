-- Stands in line, and takes the lock where it may.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms, ARGV[3] ticket, ARGV[4] channel, ARGV[5] echo,
-- ARGV[6] the policy, ARGV[7] "r" when it shares the lock. The policies: "1" it takes what is free; without that, "0" what it had stays free, "2" it
-- goes to those behind, "3" it keeps it, unless an earlier ticket waits. GRANTED, a status, which
-- no removal answers with: where an answer is left out, that of another is not taken for it. Else,
-- as text, what is left of the key in ms (PTTL's word), a blank, our place in line from 0, a blank,
-- the server's clock in ms.
--
-- The caller stands in line first, and is served like everybody: so the earliest ticket gets it.
-- The neighbours' places are looked at, for whoever vanished without a word.
--
-- Where anything is refused that a hand-over needs, nobody may stand in line: he would never be
-- told.
--
-- A join that was overtaken by a later one, on another connection, changes nothing: it could give a
-- vote away that was counted. Nor does one of a holder of whom it is not known any more which was
-- his latest: so it is from the moment when a later join gives up what an earlier one had.
--
-- Who only stands there leaves free what is free: `0` to whoever had it before and repairs it
-- again, what he had himself too; `2` gives that to those behind him; `3` keeps it, for it may have
-- been handed to him while this was on its way, unless somebody in front of him waits.
--
-- What grants is said in another way than by a removal: one may go on the same connection, and
-- where a server leaves an answer out the next one must not fit.
--
-- Who shares the lock is let in where it is shared already, also with `3`: that keeps nobody out.
--
-- Where the caller is the only one in line, nothing is kept of others: what is known of whom the
-- line forgot would stay for as long as locks are handed on. Not before ZADD: behind another
-- command that writes, a server without memory would carry that out.
--include part_names
--include part_readers
--include part_last
--include part_enter
--include part_go_out
--include part_line
--include part_tell
--include part_serve
local held = call('GET', key)
if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE') then return held end
for _, needed in ipairs({{'ZRANGE', line, 0, 0}, {'HLEN', waiters},
    {'PUBLISH', ARGV[4] .. '?', ''}}) do
  local said = call(unpack(needed))
  if needed[1] == 'PUBLISH' then strangers = said end
  if type(said) == 'table' and said.err then
    if not string.find(said.err, 'WRONGTYPE') then return said end
    return redis.error_reply('ERR a key of the line holds something else')
  end
end
if clock.err then return clock end
if newer() then return redis.error_reply('VERSION a newer version keeps this line') end
local function standing(place)
  local ms = math.floor(clock[2] / 1000)
  return string.format('%.0f %d %s%03d', redis.call('PTTL', key), place, clock[1], ms)
end
local function known(who) return redis.call('HGET', waiters, who) or '' end
local function forget_others()
  local given, left = known(''), redis.call('PTTL', waiters)
  redis.call('DEL', waiters)
  if given ~= '' then
    redis.call('HSET', waiters, '', given)
    redis.call('PEXPIRE', waiters, left)
  end
end
local reads, rest = ARGV[7] == 'r', held
local was_in = held ~= me and reader_until(me, held)
local had = held == me or was_in
local latest, holder = string.match(known(''), '^(%d+) (.*)$')
local let_in = known('>' .. me)
if let_in ~= '' then latest, holder = let_in, me end
if holder ~= me then
  if had then return standing(1) end
  latest = string.match(known(me), '^%S+ (%d+) %d+ %d+ ?r? ?%-?$') or 0
end
if tonumber(latest) > tonumber(ARGV[5]) then return standing(1) end
yields = ARGV[6] == '2' and (had or not held or reads and held == shared)
redis.call('ZADD', line, ARGV[3], me)
redis.call('PEXPIRE', line, 15000)
redis.call('ZREM', line, '?')
redis.call('HDEL', waiters, '?')
if held ~= shared and redis.call('ZCARD', line) == 1 then forget_others() end
redis.call('HSET', waiters, me, ARGV[4] .. ' ' .. ARGV[5] .. ' ' .. ARGV[2] .. ' ' .. clock[1] ..
  (reads and ' r' or '') .. (yields and ' -' or ''))
if reads then redis.call('HSET', waiters, '!', '2') end
keep(waiters, 15000)
if holder == me then redis.call('HDEL', waiters, let_in ~= '' and '>' .. me or '') end
if held == me then
  redis.call('DEL', key)
  rest = false
elseif was_in then
  rest = go_out(me, held)
end
open = rest == shared
local enters = reads and open and ARGV[6] == '3'
if had and ARGV[6] ~= '0' or (not rest or reads and open) and ARGV[6] == '1' or enters then
  serve(true)
  held = redis.call('GET', key)
  if held == me or reader_until(me, held) then return redis.status_reply('GRANTED') end
end
local rank = redis.call('ZRANK', line, me)
for step = 1, -1, -2 do
  local place = rank + step
  for _ = 1, 16 do
    local who = place >= 0 and at(place)
    if not who or entry(who) or not leave(who) then break end
    if step < 0 then place = place - 1 end
  end
end
return standing(redis.call('ZRANK', line, me))
