// Written by bin/scripts from lua/: edit the texts there and run it again.
// clang-format off
#include "redlock/wire/scripts.hpp"

namespace redlock::scripts {

const Script check_all{R"(for _, key in ipairs(KEYS) do
if redis.call('GET', key) ~= ARGV[1] then return 0 end
end
return 1)",
"79413332a30c9d2c83fe1b790cc38f9c224539af"};

const Script check_equal{R"(local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then return 1 end
if not held then return 0 end
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
return reader_until(ARGV[1], held) and 1 or 0)",
"d138648cd1229672749916c9ba17effa55584f25"};

const Script demote{R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
local held = redis.call('GET', key)
if held ~= me then return reader_until(me, held) and 1 or 0 end
local left = redis.call('PTTL', key)
if left < 1 then return 0 end
redis.call('DEL', readers)
redis.call('ZADD', readers, whole(now_ms() + left), me)
redis.call('PEXPIRE', readers, left)
redis.call('SET', key, shared, 'PX', left)
local known = call('HLEN', waiters)
if type(known) == 'table' or known == 0 then return 1 end
local clock = call('TIME')
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
local version = call('HGET', waiters, '!')
return type(version) == 'string' and version ~= '1' and version ~= '2'
end
local function leave(who, forgotten)
call('HDEL', waiters, who, forgotten or who)
local left = call('ZREM', line, who)
return left == 1, left
end
local function entry(who)
local told = call('HGET', waiters, who)
if type(told) == 'table' then return false end
local channel, echo, ttl, heard, mode, mark =
string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?r?) ?(%-?)$')
if channel and clock[1] - heard < 15 then return channel, echo, ttl, mark == '-', mode == ' r' end
end
local turns, strangers = 2000, nil
local function tell(channel, words)
local heard = call('PUBLISH', channel, words)
if type(heard) == 'table' or heard == 0 then return heard end
strangers = strangers or call('PUBLISH', channel .. '?', '')
if type(strangers) == 'table' then return strangers end
return heard > strangers and heard or 0
end
local function tell_next(who, place, left, but)
while who and turns > 0 do
turns = turns - 1
if who == but then
place = place + 1
else
local channel = entry(who)
if channel == false then return end
if channel and (who == me or tell(channel, 'next ' .. left .. ' ' .. who) ~= 0) then return end
if not leave(who) then return end
end
who = at(place)
end
end
local yields, stays_free, open
local function keep(name, ms)
local left = call('PTTL', name)
if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
end
local function admit(who, channel, echo, ttl)
if open and reader_until(who, shared) then
leave(who)
return true
end
if not pcall(enter, who, ttl, open) then return false end
local heard = call('HSET', waiters, '>' .. who, echo)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then
local gone, rest = pcall(go_out, who, shared)
if gone then open = rest end
call('HDEL', waiters, '>' .. who)
if heard ~= 0 then return false end
return nil
end
open = shared
leave(who)
keep(waiters, ttl)
return true
end
local function give()
local place = 0
while turns > 0 do
turns = turns - 1
local who, second = unpack(call('ZRANGE', line, place, place + 1))
if not who then return open or place == 0 end
local channel, echo, ttl, passed_over, reads = entry(who)
if channel == false then return true end
local goes = true
if not channel or passed_over then
goes = not passed_over
elseif open and not reads then
local left = call('PTTL', key)
if type(left) ~= 'number' or who == me then return true end
if tell(channel, 'next ' .. whole(left) .. ' ' .. who) ~= 0 then return true end
elseif stays_free and not open then
if tell(channel, 'next -2 ' .. who) ~= 0 then
tell_next(second, place + 1, '100')
return true
end
elseif reads then
local entered = admit(who, channel, echo, ttl)
if entered == false then return true end
goes = not entered
else
if call('SET', key, who, 'PX', ttl).err then return false end
if place == 0 then tell_next(second, 1, ttl) else tell_next(at(0), 0, ttl, who) end
local heard = call('HSET', waiters, '', echo .. ' ' .. who)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then call('DEL', key) end
if type(heard) == 'table' then
call('HDEL', waiters, '')
return true
end
if heard ~= 0 then
leave(who)
keep(waiters, ttl)
return true
end
end
if passed_over then
place = place + 1
elseif goes then
if not leave(who, channel and '') then return true end
place = 0
end
end
end
local function serve(free)
if not clock[1] or newer() or (free and give()) then return end
local left = call('PTTL', key)
if type(left) == 'number' then
tell_next(at(0), 0, string.format('%.0f', left), yields and me)
end
end
local given = call('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == me then
call('HDEL', waiters, '')
end
open = shared
serve(true)
return 1)",
"74810b0a8d777c18c60a7405dccca0403e315b80"};

const Script extend_all{R"(local function extend(KEYS)
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
redis.pcall('HDEL', waiters, '')
end
if not held then return 0 end
if held ~= ARGV[1] then
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
local ends = reader_until(ARGV[1], held)
if not ends then return 0 end
redis.pcall('HDEL', waiters, '>' .. ARGV[1])
local until_ms = now_ms() + ARGV[2]
if ends >= until_ms then return 1 end
redis.call('ZADD', readers, whole(until_ms), ARGV[1])
if redis.call('PTTL', readers) < tonumber(ARGV[2]) then
redis.call('PEXPIRE', readers, ARGV[2])
end
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
end
local all = 1
for _, key in ipairs(KEYS) do
if extend({key}) == 0 then all = 0 end
end
return all)",
"093ecda9f57d9118acbb1cada440aca531ed0e57"};

const Script extend_if_equal{R"(local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
redis.pcall('HDEL', waiters, '')
end
if not held then return 0 end
if held ~= ARGV[1] then
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
local ends = reader_until(ARGV[1], held)
if not ends then return 0 end
redis.pcall('HDEL', waiters, '>' .. ARGV[1])
local until_ms = now_ms() + ARGV[2]
if ends >= until_ms then return 1 end
redis.call('ZADD', readers, whole(until_ms), ARGV[1])
if redis.call('PTTL', readers) < tonumber(ARGV[2]) then
redis.call('PEXPIRE', readers, ARGV[2])
end
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1)",
"5ae89b19cfd7acf7fa4dd85710a259559924c42e"};

const Script inspect{R"(local held, line = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:line'
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
return said .. held .. (type(readers) == 'number' and ' ' .. readers or ''))",
"96560cad464a82c0e00d6b235b727556610ac327"};

const Script join{R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
local clock = call('TIME')
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
local version = call('HGET', waiters, '!')
return type(version) == 'string' and version ~= '1' and version ~= '2'
end
local function leave(who, forgotten)
call('HDEL', waiters, who, forgotten or who)
local left = call('ZREM', line, who)
return left == 1, left
end
local function entry(who)
local told = call('HGET', waiters, who)
if type(told) == 'table' then return false end
local channel, echo, ttl, heard, mode, mark =
string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?r?) ?(%-?)$')
if channel and clock[1] - heard < 15 then return channel, echo, ttl, mark == '-', mode == ' r' end
end
local turns, strangers = 2000, nil
local function tell(channel, words)
local heard = call('PUBLISH', channel, words)
if type(heard) == 'table' or heard == 0 then return heard end
strangers = strangers or call('PUBLISH', channel .. '?', '')
if type(strangers) == 'table' then return strangers end
return heard > strangers and heard or 0
end
local function tell_next(who, place, left, but)
while who and turns > 0 do
turns = turns - 1
if who == but then
place = place + 1
else
local channel = entry(who)
if channel == false then return end
if channel and (who == me or tell(channel, 'next ' .. left .. ' ' .. who) ~= 0) then return end
if not leave(who) then return end
end
who = at(place)
end
end
local yields, stays_free, open
local function keep(name, ms)
local left = call('PTTL', name)
if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
end
local function admit(who, channel, echo, ttl)
if open and reader_until(who, shared) then
leave(who)
return true
end
if not pcall(enter, who, ttl, open) then return false end
local heard = call('HSET', waiters, '>' .. who, echo)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then
local gone, rest = pcall(go_out, who, shared)
if gone then open = rest end
call('HDEL', waiters, '>' .. who)
if heard ~= 0 then return false end
return nil
end
open = shared
leave(who)
keep(waiters, ttl)
return true
end
local function give()
local place = 0
while turns > 0 do
turns = turns - 1
local who, second = unpack(call('ZRANGE', line, place, place + 1))
if not who then return open or place == 0 end
local channel, echo, ttl, passed_over, reads = entry(who)
if channel == false then return true end
local goes = true
if not channel or passed_over then
goes = not passed_over
elseif open and not reads then
local left = call('PTTL', key)
if type(left) ~= 'number' or who == me then return true end
if tell(channel, 'next ' .. whole(left) .. ' ' .. who) ~= 0 then return true end
elseif stays_free and not open then
if tell(channel, 'next -2 ' .. who) ~= 0 then
tell_next(second, place + 1, '100')
return true
end
elseif reads then
local entered = admit(who, channel, echo, ttl)
if entered == false then return true end
goes = not entered
else
if call('SET', key, who, 'PX', ttl).err then return false end
if place == 0 then tell_next(second, 1, ttl) else tell_next(at(0), 0, ttl, who) end
local heard = call('HSET', waiters, '', echo .. ' ' .. who)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then call('DEL', key) end
if type(heard) == 'table' then
call('HDEL', waiters, '')
return true
end
if heard ~= 0 then
leave(who)
keep(waiters, ttl)
return true
end
end
if passed_over then
place = place + 1
elseif goes then
if not leave(who, channel and '') then return true end
place = 0
end
end
end
local function serve(free)
if not clock[1] or newer() or (free and give()) then return end
local left = call('PTTL', key)
if type(left) == 'number' then
tell_next(at(0), 0, string.format('%.0f', left), yields and me)
end
end
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
return standing(redis.call('ZRANK', line, me)))",
"7da5e317476c50b4ee21d16a336217fe4f1d73e5"};

const Script pass{R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
local clock = call('TIME')
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
local version = call('HGET', waiters, '!')
return type(version) == 'string' and version ~= '1' and version ~= '2'
end
local function leave(who, forgotten)
call('HDEL', waiters, who, forgotten or who)
local left = call('ZREM', line, who)
return left == 1, left
end
local function entry(who)
local told = call('HGET', waiters, who)
if type(told) == 'table' then return false end
local channel, echo, ttl, heard, mode, mark =
string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?r?) ?(%-?)$')
if channel and clock[1] - heard < 15 then return channel, echo, ttl, mark == '-', mode == ' r' end
end
local turns, strangers = 2000, nil
local function tell(channel, words)
local heard = call('PUBLISH', channel, words)
if type(heard) == 'table' or heard == 0 then return heard end
strangers = strangers or call('PUBLISH', channel .. '?', '')
if type(strangers) == 'table' then return strangers end
return heard > strangers and heard or 0
end
local function tell_next(who, place, left, but)
while who and turns > 0 do
turns = turns - 1
if who == but then
place = place + 1
else
local channel = entry(who)
if channel == false then return end
if channel and (who == me or tell(channel, 'next ' .. left .. ' ' .. who) ~= 0) then return end
if not leave(who) then return end
end
who = at(place)
end
end
local yields, stays_free, open
local function keep(name, ms)
local left = call('PTTL', name)
if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
end
local function admit(who, channel, echo, ttl)
if open and reader_until(who, shared) then
leave(who)
return true
end
if not pcall(enter, who, ttl, open) then return false end
local heard = call('HSET', waiters, '>' .. who, echo)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then
local gone, rest = pcall(go_out, who, shared)
if gone then open = rest end
call('HDEL', waiters, '>' .. who)
if heard ~= 0 then return false end
return nil
end
open = shared
leave(who)
keep(waiters, ttl)
return true
end
local function give()
local place = 0
while turns > 0 do
turns = turns - 1
local who, second = unpack(call('ZRANGE', line, place, place + 1))
if not who then return open or place == 0 end
local channel, echo, ttl, passed_over, reads = entry(who)
if channel == false then return true end
local goes = true
if not channel or passed_over then
goes = not passed_over
elseif open and not reads then
local left = call('PTTL', key)
if type(left) ~= 'number' or who == me then return true end
if tell(channel, 'next ' .. whole(left) .. ' ' .. who) ~= 0 then return true end
elseif stays_free and not open then
if tell(channel, 'next -2 ' .. who) ~= 0 then
tell_next(second, place + 1, '100')
return true
end
elseif reads then
local entered = admit(who, channel, echo, ttl)
if entered == false then return true end
goes = not entered
else
if call('SET', key, who, 'PX', ttl).err then return false end
if place == 0 then tell_next(second, 1, ttl) else tell_next(at(0), 0, ttl, who) end
local heard = call('HSET', waiters, '', echo .. ' ' .. who)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then call('DEL', key) end
if type(heard) == 'table' then
call('HDEL', waiters, '')
return true
end
if heard ~= 0 then
leave(who)
keep(waiters, ttl)
return true
end
end
if passed_over then
place = place + 1
elseif goes then
if not leave(who, channel and '') then return true end
place = 0
end
end
end
local function serve(free)
if not clock[1] or newer() or (free and give()) then return end
local left = call('PTTL', key)
if type(left) == 'number' then
tell_next(at(0), 0, string.format('%.0f', left), yields and me)
end
end
local first = rest and at(0)
local given = call('HGET', waiters, '')
local named = type(given) == 'string' and string.match(given, '^%d+ (.*)$') == me
local _, left = leave(me, (held == me or named) and '')
call('HDEL', waiters, '>' .. me)
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
stays_free, open = ARGV[2] == '0', rest == shared
if not rest or open and (first == me or held == me) then
serve(true)
elseif first == me then
serve(false)
end
return had and 1 or 0)",
"d4c6132f752d4b68fb924cb0a9e3aafbd2335332"};

const Script pass_all{R"(local function pass(KEYS)
local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
local clock = call('TIME')
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
local version = call('HGET', waiters, '!')
return type(version) == 'string' and version ~= '1' and version ~= '2'
end
local function leave(who, forgotten)
call('HDEL', waiters, who, forgotten or who)
local left = call('ZREM', line, who)
return left == 1, left
end
local function entry(who)
local told = call('HGET', waiters, who)
if type(told) == 'table' then return false end
local channel, echo, ttl, heard, mode, mark =
string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?r?) ?(%-?)$')
if channel and clock[1] - heard < 15 then return channel, echo, ttl, mark == '-', mode == ' r' end
end
local turns, strangers = 2000, nil
local function tell(channel, words)
local heard = call('PUBLISH', channel, words)
if type(heard) == 'table' or heard == 0 then return heard end
strangers = strangers or call('PUBLISH', channel .. '?', '')
if type(strangers) == 'table' then return strangers end
return heard > strangers and heard or 0
end
local function tell_next(who, place, left, but)
while who and turns > 0 do
turns = turns - 1
if who == but then
place = place + 1
else
local channel = entry(who)
if channel == false then return end
if channel and (who == me or tell(channel, 'next ' .. left .. ' ' .. who) ~= 0) then return end
if not leave(who) then return end
end
who = at(place)
end
end
local yields, stays_free, open
local function keep(name, ms)
local left = call('PTTL', name)
if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
end
local function admit(who, channel, echo, ttl)
if open and reader_until(who, shared) then
leave(who)
return true
end
if not pcall(enter, who, ttl, open) then return false end
local heard = call('HSET', waiters, '>' .. who, echo)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then
local gone, rest = pcall(go_out, who, shared)
if gone then open = rest end
call('HDEL', waiters, '>' .. who)
if heard ~= 0 then return false end
return nil
end
open = shared
leave(who)
keep(waiters, ttl)
return true
end
local function give()
local place = 0
while turns > 0 do
turns = turns - 1
local who, second = unpack(call('ZRANGE', line, place, place + 1))
if not who then return open or place == 0 end
local channel, echo, ttl, passed_over, reads = entry(who)
if channel == false then return true end
local goes = true
if not channel or passed_over then
goes = not passed_over
elseif open and not reads then
local left = call('PTTL', key)
if type(left) ~= 'number' or who == me then return true end
if tell(channel, 'next ' .. whole(left) .. ' ' .. who) ~= 0 then return true end
elseif stays_free and not open then
if tell(channel, 'next -2 ' .. who) ~= 0 then
tell_next(second, place + 1, '100')
return true
end
elseif reads then
local entered = admit(who, channel, echo, ttl)
if entered == false then return true end
goes = not entered
else
if call('SET', key, who, 'PX', ttl).err then return false end
if place == 0 then tell_next(second, 1, ttl) else tell_next(at(0), 0, ttl, who) end
local heard = call('HSET', waiters, '', echo .. ' ' .. who)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then call('DEL', key) end
if type(heard) == 'table' then
call('HDEL', waiters, '')
return true
end
if heard ~= 0 then
leave(who)
keep(waiters, ttl)
return true
end
end
if passed_over then
place = place + 1
elseif goes then
if not leave(who, channel and '') then return true end
place = 0
end
end
end
local function serve(free)
if not clock[1] or newer() or (free and give()) then return end
local left = call('PTTL', key)
if type(left) == 'number' then
tell_next(at(0), 0, string.format('%.0f', left), yields and me)
end
end
local first = rest and at(0)
local given = call('HGET', waiters, '')
local named = type(given) == 'string' and string.match(given, '^%d+ (.*)$') == me
local _, left = leave(me, (held == me or named) and '')
call('HDEL', waiters, '>' .. me)
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
stays_free, open = ARGV[2] == '0', rest == shared
if not rest or open and (first == me or held == me) then
serve(true)
elseif first == me then
serve(false)
end
return had and 1 or 0
end
local all, refused = 1, nil
for _, key in ipairs(KEYS) do
local said = pass({key})
if type(said) == 'table' then refused = said elseif said == 0 then all = 0 end
end
return refused or all)",
"fa67135bf2e69abd026f48f8be5acaa60bf3a043"};

const Script permit_join{R"(local function join(KEYS)
local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
local clock = call('TIME')
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
local version = call('HGET', waiters, '!')
return type(version) == 'string' and version ~= '1' and version ~= '2'
end
local function leave(who, forgotten)
call('HDEL', waiters, who, forgotten or who)
local left = call('ZREM', line, who)
return left == 1, left
end
local function entry(who)
local told = call('HGET', waiters, who)
if type(told) == 'table' then return false end
local channel, echo, ttl, heard, mode, mark =
string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?r?) ?(%-?)$')
if channel and clock[1] - heard < 15 then return channel, echo, ttl, mark == '-', mode == ' r' end
end
local turns, strangers = 2000, nil
local function tell(channel, words)
local heard = call('PUBLISH', channel, words)
if type(heard) == 'table' or heard == 0 then return heard end
strangers = strangers or call('PUBLISH', channel .. '?', '')
if type(strangers) == 'table' then return strangers end
return heard > strangers and heard or 0
end
local function tell_next(who, place, left, but)
while who and turns > 0 do
turns = turns - 1
if who == but then
place = place + 1
else
local channel = entry(who)
if channel == false then return end
if channel and (who == me or tell(channel, 'next ' .. left .. ' ' .. who) ~= 0) then return end
if not leave(who) then return end
end
who = at(place)
end
end
local yields, stays_free, open
local function keep(name, ms)
local left = call('PTTL', name)
if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
end
local function admit(who, channel, echo, ttl)
if open and reader_until(who, shared) then
leave(who)
return true
end
if not pcall(enter, who, ttl, open) then return false end
local heard = call('HSET', waiters, '>' .. who, echo)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then
local gone, rest = pcall(go_out, who, shared)
if gone then open = rest end
call('HDEL', waiters, '>' .. who)
if heard ~= 0 then return false end
return nil
end
open = shared
leave(who)
keep(waiters, ttl)
return true
end
local function give()
local place = 0
while turns > 0 do
turns = turns - 1
local who, second = unpack(call('ZRANGE', line, place, place + 1))
if not who then return open or place == 0 end
local channel, echo, ttl, passed_over, reads = entry(who)
if channel == false then return true end
local goes = true
if not channel or passed_over then
goes = not passed_over
elseif open and not reads then
local left = call('PTTL', key)
if type(left) ~= 'number' or who == me then return true end
if tell(channel, 'next ' .. whole(left) .. ' ' .. who) ~= 0 then return true end
elseif stays_free and not open then
if tell(channel, 'next -2 ' .. who) ~= 0 then
tell_next(second, place + 1, '100')
return true
end
elseif reads then
local entered = admit(who, channel, echo, ttl)
if entered == false then return true end
goes = not entered
else
if call('SET', key, who, 'PX', ttl).err then return false end
if place == 0 then tell_next(second, 1, ttl) else tell_next(at(0), 0, ttl, who) end
local heard = call('HSET', waiters, '', echo .. ' ' .. who)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then call('DEL', key) end
if type(heard) == 'table' then
call('HDEL', waiters, '')
return true
end
if heard ~= 0 then
leave(who)
keep(waiters, ttl)
return true
end
end
if passed_over then
place = place + 1
elseif goes then
if not leave(who, channel and '') then return true end
place = 0
end
end
end
local function serve(free)
if not clock[1] or newer() or (free and give()) then return end
local left = call('PTTL', key)
if type(left) == 'number' then
tell_next(at(0), 0, string.format('%.0f', left), yields and me)
end
end
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
end
local said = join(KEYS)
if type(said) ~= 'string' then return said end
local function slots(line, permits)
local soonest, digits = -1, {}
for slot = 1, permits do
local left = redis.call('PTTL', line .. ':' .. slot - 1)
digits[slot] = left == -2 and '1' or '0'
if soonest == -1 or left ~= -1 and left < soonest then soonest = left end
end
return string.format('%.0f', soonest), table.concat(digits)
end
local left, free = slots(KEYS[1], tonumber(ARGV[7]))
return left .. string.match(said, ' .*') .. ' ' .. free)",
"cabc16110ed3f4749260d074d807431eb7d75d26"};

const Script permit_leave{R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
call('HDEL', waiters, me)
local left = call('ZREM', line, me)
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
return 0)",
"dca51252338b51167c7fc0fae7021d21a2f4ccc9"};

const Script permit_pass{R"(local function pass(KEYS)
local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
local clock = call('TIME')
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
local version = call('HGET', waiters, '!')
return type(version) == 'string' and version ~= '1' and version ~= '2'
end
local function leave(who, forgotten)
call('HDEL', waiters, who, forgotten or who)
local left = call('ZREM', line, who)
return left == 1, left
end
local function entry(who)
local told = call('HGET', waiters, who)
if type(told) == 'table' then return false end
local channel, echo, ttl, heard, mode, mark =
string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?r?) ?(%-?)$')
if channel and clock[1] - heard < 15 then return channel, echo, ttl, mark == '-', mode == ' r' end
end
local turns, strangers = 2000, nil
local function tell(channel, words)
local heard = call('PUBLISH', channel, words)
if type(heard) == 'table' or heard == 0 then return heard end
strangers = strangers or call('PUBLISH', channel .. '?', '')
if type(strangers) == 'table' then return strangers end
return heard > strangers and heard or 0
end
local function tell_next(who, place, left, but)
while who and turns > 0 do
turns = turns - 1
if who == but then
place = place + 1
else
local channel = entry(who)
if channel == false then return end
if channel and (who == me or tell(channel, 'next ' .. left .. ' ' .. who) ~= 0) then return end
if not leave(who) then return end
end
who = at(place)
end
end
local yields, stays_free, open
local function keep(name, ms)
local left = call('PTTL', name)
if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
end
local function admit(who, channel, echo, ttl)
if open and reader_until(who, shared) then
leave(who)
return true
end
if not pcall(enter, who, ttl, open) then return false end
local heard = call('HSET', waiters, '>' .. who, echo)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then
local gone, rest = pcall(go_out, who, shared)
if gone then open = rest end
call('HDEL', waiters, '>' .. who)
if heard ~= 0 then return false end
return nil
end
open = shared
leave(who)
keep(waiters, ttl)
return true
end
local function give()
local place = 0
while turns > 0 do
turns = turns - 1
local who, second = unpack(call('ZRANGE', line, place, place + 1))
if not who then return open or place == 0 end
local channel, echo, ttl, passed_over, reads = entry(who)
if channel == false then return true end
local goes = true
if not channel or passed_over then
goes = not passed_over
elseif open and not reads then
local left = call('PTTL', key)
if type(left) ~= 'number' or who == me then return true end
if tell(channel, 'next ' .. whole(left) .. ' ' .. who) ~= 0 then return true end
elseif stays_free and not open then
if tell(channel, 'next -2 ' .. who) ~= 0 then
tell_next(second, place + 1, '100')
return true
end
elseif reads then
local entered = admit(who, channel, echo, ttl)
if entered == false then return true end
goes = not entered
else
if call('SET', key, who, 'PX', ttl).err then return false end
if place == 0 then tell_next(second, 1, ttl) else tell_next(at(0), 0, ttl, who) end
local heard = call('HSET', waiters, '', echo .. ' ' .. who)
if type(heard) ~= 'table' then
heard = who == me and 1 or tell(channel, 'granted ' .. echo .. ' ' .. who)
end
if heard == 0 or type(heard) == 'table' then call('DEL', key) end
if type(heard) == 'table' then
call('HDEL', waiters, '')
return true
end
if heard ~= 0 then
leave(who)
keep(waiters, ttl)
return true
end
end
if passed_over then
place = place + 1
elseif goes then
if not leave(who, channel and '') then return true end
place = 0
end
end
end
local function serve(free)
if not clock[1] or newer() or (free and give()) then return end
local left = call('PTTL', key)
if type(left) == 'number' then
tell_next(at(0), 0, string.format('%.0f', left), yields and me)
end
end
local first = rest and at(0)
local given = call('HGET', waiters, '')
local named = type(given) == 'string' and string.match(given, '^%d+ (.*)$') == me
local _, left = leave(me, (held == me or named) and '')
call('HDEL', waiters, '>' .. me)
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
stays_free, open = ARGV[2] == '0', rest == shared
if not rest or open and (first == me or held == me) then
serve(true)
elseif first == me then
serve(false)
end
return had and 1 or 0
end
local function offer(KEYS, slot)
local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
local clock = call('TIME')
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
local version = call('HGET', waiters, '!')
return type(version) == 'string' and version ~= '1' and version ~= '2'
end
local function leave(who, forgotten)
call('HDEL', waiters, who, forgotten or who)
local left = call('ZREM', line, who)
return left == 1, left
end
local function entry(who)
local told = call('HGET', waiters, who)
if type(told) == 'table' then return false end
local channel, echo, ttl, heard, mode, mark =
string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?r?) ?(%-?)$')
if channel and clock[1] - heard < 15 then return channel, echo, ttl, mark == '-', mode == ' r' end
end
local turns, strangers = 2000, nil
local function tell(channel, words)
local heard = call('PUBLISH', channel, words)
if type(heard) == 'table' or heard == 0 then return heard end
strangers = strangers or call('PUBLISH', channel .. '?', '')
if type(strangers) == 'table' then return strangers end
return heard > strangers and heard or 0
end
local function tell_next(who, place, left, but)
while who and turns > 0 do
turns = turns - 1
if who == but then
place = place + 1
else
local channel = entry(who)
if channel == false then return end
if channel and (who == me or tell(channel, 'next ' .. left .. ' ' .. who) ~= 0) then return end
if not leave(who) then return end
end
who = at(place)
end
end
if not clock[1] or newer() then return end
while turns > 0 do
turns = turns - 1
local who, second = unpack(call('ZRANGE', line, 0, 1))
local channel = who and entry(who)
if not who or channel == false then return end
local heard = channel and tell(channel, 'slot ' .. slot .. ' ' .. who) or 0
if type(heard) == 'table' or not leave(who) then return end
if heard ~= 0 then return tell_next(second, 0, '100') end
end
end
local said = pass(KEYS)
local line, slot = string.match(KEYS[1], '^(.*):(%d+)$')
if type(said) ~= 'table' and line and redis.pcall('PTTL', KEYS[1]) == -2 then offer({line}, slot) end
return said)",
"9f72fabe3278e2ac6017687db5f6581fed30b50a"};

const Script permit_take{R"(if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.status_reply('OK') end
local function slots(line, permits)
local soonest, digits = -1, {}
for slot = 1, permits do
local left = redis.call('PTTL', line .. ':' .. slot - 1)
digits[slot] = left == -2 and '1' or '0'
if soonest == -1 or left ~= -1 and left < soonest then soonest = left end
end
return string.format('%.0f', soonest), table.concat(digits)
end
local left, free = slots(string.match(KEYS[1], '^(.*):'), tonumber(ARGV[3]))
return left .. ' ' .. free)",
"169d621017587c67e182098e29860b00a6a5d4d2"};

const Script promote{R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
local held, now, ends = redis.call('GET', key), now_ms(), nil
if held == me then
redis.call('DEL', readers)
ends = now + math.max(redis.call('PTTL', key), 0)
else
ends = reader_until(me, held)
end
if not ends then return redis.status_reply('LOST') end
if held ~= me then
last_until(now)
if held ~= shared or redis.call('ZCARD', readers) > 1 then return redis.status_reply('BUSY 1') end
end
local left = whole(math.max(ends - now, tonumber(ARGV[3])))
redis.call('ZADD', readers, whole(ends), me, '0', ARGV[2])
redis.call('PEXPIRE', readers, left)
redis.call('SET', key, ARGV[2], 'PX', left)
local given = call('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == me then
call('HDEL', waiters, '')
end
call('HDEL', waiters, '>' .. me)
return redis.status_reply('PROMOTED'))",
"41d6ba23376423f8cbed1b47dfa00625245e0d7f"};

const Script raise_fence{R"(local readers, shared = KEYS[1] .. ':redlock:readers', 'redlock:shared'
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
for _, key in ipairs(KEYS) do
local held = redis.call('GET', key)
if held ~= ARGV[1] and (#KEYS > 1 or not reader_until(ARGV[1], held)) then
return redis.status_reply('LOST')
end
end
local last = '0'
for _, key in ipairs(KEYS) do
local here = redis.call('GET', key .. ':redlock:fence') or '0'
if not string.match(here, '^%d+$') or #here > 16 then
return redis.error_reply('FENCE the key of the fence holds something else')
end
if tonumber(here) > tonumber(last) then last = here end
end
local function record(proposal, ttl)
if tonumber(proposal) <= tonumber(last) then return false end
for _, key in ipairs(KEYS) do
local left = redis.call('PTTL', key .. ':redlock:fence')
local longest = left > tonumber(ttl) and string.format('%.0f', left) or ttl
redis.call('SET', key .. ':redlock:fence', proposal, 'PX', longest)
end
return true
end
return record(ARGV[2], ARGV[3]) and redis.status_reply('RAISED ' .. ARGV[2]) or last)",
"df67a1eba5b2ce9034bc66ac9e24d6b85ec5cd1e"};

const Script set_all_if_absent{R"(for place, key in ipairs(KEYS) do
if redis.call('PTTL', key) ~= -2 and redis.pcall('GET', key) ~= ARGV[1] then
return redis.status_reply('BUSY ' .. place)
end
end
local recorded = true
if ARGV[3] then
local last = '0'
for _, key in ipairs(KEYS) do
local here = redis.call('GET', key .. ':redlock:fence') or '0'
if not string.match(here, '^%d+$') or #here > 16 then
return redis.error_reply('FENCE the key of the fence holds something else')
end
if tonumber(here) > tonumber(last) then last = here end
end
local function record(proposal, ttl)
if tonumber(proposal) <= tonumber(last) then return false end
for _, key in ipairs(KEYS) do
local left = redis.call('PTTL', key .. ':redlock:fence')
local longest = left > tonumber(ttl) and string.format('%.0f', left) or ttl
redis.call('SET', key .. ':redlock:fence', proposal, 'PX', longest)
end
return true
end
recorded = record(ARGV[3], ARGV[4]) or last
end
local function extend(KEYS)
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
redis.pcall('HDEL', waiters, '')
end
if not held then return 0 end
if held ~= ARGV[1] then
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
local ends = reader_until(ARGV[1], held)
if not ends then return 0 end
redis.pcall('HDEL', waiters, '>' .. ARGV[1])
local until_ms = now_ms() + ARGV[2]
if ends >= until_ms then return 1 end
redis.call('ZADD', readers, whole(until_ms), ARGV[1])
if redis.call('PTTL', readers) < tonumber(ARGV[2]) then
redis.call('PEXPIRE', readers, ARGV[2])
end
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
end
for _, key in ipairs(KEYS) do
if not redis.call('SET', key, ARGV[1], 'NX', 'PX', ARGV[2]) then extend({key}) end
end
return recorded == true and redis.status_reply('OK') or recorded)",
"09a6df4ec6a5f22095c981ef1ff2340fb9c59ed0"};

const Script set_if_absent{R"(return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]))",
"226967c76309c00f5ef247eb6d9414b32c257658"};

const Script share_if_free{R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
local held = redis.pcall('GET', key)
local in_already = held == me or reader_until(me, held)
local function wanted_alone()
if redis.call('ZCARD', line) == 0 then return false end
local clock = call('TIME')
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
local version = call('HGET', waiters, '!')
return type(version) == 'string' and version ~= '1' and version ~= '2'
end
local function leave(who, forgotten)
call('HDEL', waiters, who, forgotten or who)
local left = call('ZREM', line, who)
return left == 1, left
end
local function entry(who)
local told = call('HGET', waiters, who)
if type(told) == 'table' then return false end
local channel, echo, ttl, heard, mode, mark =
string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?r?) ?(%-?)$')
if channel and clock[1] - heard < 15 then return channel, echo, ttl, mark == '-', mode == ' r' end
end
local first = redis.call('ZRANGE', line, 0, 16)
if #first > 16 or newer() then return true end
for _, who in ipairs(first) do
local channel, _, _, passed_over, reads = entry(who)
if channel and not passed_over and not reads then return true end
end
end
if not in_already and (held and held ~= shared or wanted_alone()) then
return redis.status_reply('BUSY 1')
end
local recorded = true
if ARGV[3] then
local last = '0'
for _, key in ipairs(KEYS) do
local here = redis.call('GET', key .. ':redlock:fence') or '0'
if not string.match(here, '^%d+$') or #here > 16 then
return redis.error_reply('FENCE the key of the fence holds something else')
end
if tonumber(here) > tonumber(last) then last = here end
end
local function record(proposal, ttl)
if tonumber(proposal) <= tonumber(last) then return false end
for _, key in ipairs(KEYS) do
local left = redis.call('PTTL', key .. ':redlock:fence')
local longest = left > tonumber(ttl) and string.format('%.0f', left) or ttl
redis.call('SET', key .. ':redlock:fence', proposal, 'PX', longest)
end
return true
end
recorded = record(ARGV[3], ARGV[4]) or last
end
if in_already then
local function extend()
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
redis.pcall('HDEL', waiters, '')
end
if not held then return 0 end
if held ~= ARGV[1] then
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
local ends = reader_until(ARGV[1], held)
if not ends then return 0 end
redis.pcall('HDEL', waiters, '>' .. ARGV[1])
local until_ms = now_ms() + ARGV[2]
if ends >= until_ms then return 1 end
redis.call('ZADD', readers, whole(until_ms), ARGV[1])
if redis.call('PTTL', readers) < tonumber(ARGV[2]) then
redis.call('PEXPIRE', readers, ARGV[2])
end
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
end
extend()
else
enter(me, ARGV[2], held)
end
return recorded == true and redis.status_reply('OK') or recorded)",
"188fa165b179f1302a84d6c624b1e8355d35efe6"};

const Script stamp_check{R"(local held = redis.call('GET', KEYS[1])
if not held then return 0 end
if held == ARGV[1] then return 1 end
if ARGV[2] == '1' and string.match(held, '^%d+$') then return 1 end
return 0)",
"935bc2f08aac29a5bc0ba26e000ce18db3feb63f"};

const Script stamp_release{R"(local held = redis.call('GET', KEYS[1])
if not held then return 0 end
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function left_ms(value)
local stamp = tonumber(string.match(value, '^%d+'))
if ARGV[3] ~= '1' then stamp = stamp + 1 end
return stamp * ARGV[3] - now_ms
end
local plain = ARGV[4] == '1' and string.match(held, '^%d+$') and left_ms(ARGV[1]) > 0
if held ~= ARGV[1] and not plain then return 0 end
if left_ms(held) > tonumber(ARGV[2]) then return redis.call('DEL', KEYS[1]) end
return 0)",
"6305670555f5a127115fb1b439329a3319b14228"};

const Script stamp_take{R"(local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return held end
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
if held then
local stamp = tonumber(string.match(held, '^(%d+)%.?%d*$') or '')
if not stamp then return redis.error_reply('FOREIGN the value is no timestamp') end
local now = math.floor(now_ms / ARGV[3])
if stamp >= now * 100 and stamp <= now * 10000 then return redis.error_reply('UNIT too fine') end
local coarse = ARGV[3] == '1' and stamp <= now / 100 and stamp >= now / 10000
if coarse then return redis.error_reply('UNIT too coarse') end
if now <= stamp then return 0 end
end
local mine = string.format('%.0f', math.floor((now_ms + ARGV[1]) / ARGV[3])) .. '.' .. ARGV[2]
redis.call('SET', KEYS[1], mine, 'PX', ARGV[1])
return mine)",
"f1e71b75f3e66b4000b3d7cd39cab3c670c52d0f"};

const Script stamp_undo{R"(local held = redis.call('GET', KEYS[1])
if held and string.match(held, '^%d+%.(%d+)$') == ARGV[1] then
return redis.call('DEL', KEYS[1])
end
return 0)",
"97ad8ce9a41b75c57a084d2806b3b2268e5d83f2"};

const Script swap_all{R"(for _, key in ipairs(KEYS) do
if redis.call('GET', key) ~= ARGV[1] then return 0 end
end
local function swap(KEYS)
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
if not held then return 0 end
if held == ARGV[1] then
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
if held ~= shared or not reader_until(ARGV[1], held) then return 0 end
enter(ARGV[2], ARGV[3], held)
go_out(ARGV[1], held)
end
if redis.pcall('HLEN', waiters) == 0 then return 1 end
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
redis.pcall('HDEL', waiters, '')
end
redis.pcall('HDEL', waiters, ARGV[1], '>' .. ARGV[1])
redis.pcall('ZREM', KEYS[1] .. ':redlock:line', ARGV[1])
return 1
end
for _, key in ipairs(KEYS) do swap({key}) end
return 1)",
"0da263a98a051004f9dffa79b06ee7c266863f3b"};

const Script swap_if_equal{R"(local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
if not held then return 0 end
if held == ARGV[1] then
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else
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
local function last_until(now)
redis.call('ZREMRANGEBYSCORE', readers, 1, whole(now))
return tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2])
end
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
if held ~= shared or not reader_until(ARGV[1], held) then return 0 end
enter(ARGV[2], ARGV[3], held)
go_out(ARGV[1], held)
end
if redis.pcall('HLEN', waiters) == 0 then return 1 end
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
redis.pcall('HDEL', waiters, '')
end
redis.pcall('HDEL', waiters, ARGV[1], '>' .. ARGV[1])
redis.pcall('ZREM', KEYS[1] .. ':redlock:line', ARGV[1])
return 1)",
"4b28ed7659866cc5e354c96bb0ca533c215fa21a"};

}  // namespace redlock::scripts
