// Written by bin/scripts from lua/: edit the texts there and run it again.
// clang-format off
#include "redlock/wire/scripts.hpp"

namespace redlock::scripts {

const Script check_all{R"(for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then return 0 end
end
return 1)",
"b98137d3ec8a5b50ffcfb0681081f70275eeaa0c"};

const Script check_equal{R"(if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
return 0)",
"91dcb3cc30dcd119457d057157b65a9e90f2b1e0"};

const Script extend_all{R"(local function extend(KEYS)
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
  redis.pcall('HDEL', waiters, '')
end
if held ~= ARGV[1] then return 0 end
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
"594626d504efe2a58954524a13669d8ed6f01b21"};

const Script extend_if_equal{R"(local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == ARGV[1] then
  redis.pcall('HDEL', waiters, '')
end
if held ~= ARGV[1] then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1)",
"a37a402bae9fb577dd7258409d3571d2a6c4b752"};

const Script inspect{R"(local held, line = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:line'
local waiting, clock = redis.pcall('ZCARD', line), redis.pcall('TIME')
if type(waiting) ~= 'number' then waiting = -1 end
local first = waiting > 0 and clock[1] and redis.pcall('ZRANGE', line, 0, 15, 'WITHSCORES') or {}
local said = string.format('%.0f %d %d ', redis.call('PTTL', KEYS[1]), waiting, #first / 2)
for i = 1, #first, 2 do
  local waited = clock[1] * 1000 + math.floor(clock[2] / 1000) - first[i + 1]
  said = said .. string.format('%.0f %d:', waited, #first[i]) .. first[i]
end
return said .. (held or ''))",
"11b5f51744aaf5009726a90b464bb6e516d1836a"};

const Script join{R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
local clock, turns = call('TIME'), 2000
local strangers, yields, stays_free
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
  local version = call('HGET', waiters, '!')
  return type(version) == 'string' and version ~= '1'
end
local function leave(who, forgotten)
  call('HDEL', waiters, who, forgotten or who)
  local left = call('ZREM', line, who)
  return left == 1, left
end
local function entry(who)
  local told = call('HGET', waiters, who)
  if type(told) == 'table' then return false end
  local channel, echo, ttl, heard, passed_over =
    string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?%-?)$')
  if channel and clock[1] - heard < 15 then return channel, echo, ttl, passed_over == ' -' end
end
local function tell(channel, words)
  local heard = call('PUBLISH', channel, words)
  if type(heard) == 'table' or heard == 0 then return heard end
  strangers = strangers or call('PUBLISH', channel .. '?', '')
  if type(strangers) == 'table' then return strangers end
  return heard > strangers and heard or 0
end
local function keep(name, ms)
  local left = call('PTTL', name)
  if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
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
local function give()
  local place = 0
  while turns > 0 do
    turns = turns - 1
    local who, second = unpack(call('ZRANGE', line, place, place + 1))
    if not who then return place == 0 end
    local channel, echo, ttl, passed_over = entry(who)
    if channel == false then return true end
    if stays_free and channel and not passed_over then
      if tell(channel, 'next -2 ' .. who) ~= 0 then
        tell_next(second, place + 1, '100')
        return true
      end
    elseif channel and not passed_over then
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
    else
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
local latest, holder = string.match(known(''), '^(%d+) (.*)$')
if holder ~= me then
  if held == me then return standing(1) end
  latest = string.match(known(me), '^%S+ (%d+) %d+ %d+ ?%-?$') or 0
end
if tonumber(latest) > tonumber(ARGV[5]) then return standing(1) end
yields = ARGV[6] == '2' and (held == me or not held)
redis.call('ZADD', line, ARGV[3], me)
redis.call('PEXPIRE', line, 15000)
redis.call('ZREM', line, '?')
redis.call('HDEL', waiters, '?')
if redis.call('ZCARD', line) == 1 then forget_others() end
redis.call('HSET', waiters, me, ARGV[4] .. ' ' .. ARGV[5] .. ' ' .. ARGV[2] .. ' ' .. clock[1] ..
  (yields and ' -' or ''))
keep(waiters, 15000)
if holder == me then redis.call('HDEL', waiters, '') end
if held == me then redis.call('DEL', key) end
if held == me and ARGV[6] ~= '0' or not held and ARGV[6] == '1' then
  serve(true)
  if redis.call('GET', key) == me then return redis.status_reply('GRANTED') end
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
"2665d86cfe98bb42613c4dc0767f7a1cdb0d07ed"};

const Script pass{R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
local held = call('GET', key)
if held == me then redis.call('DEL', key) end
local known = call('HLEN', waiters)
if type(held) == 'table' then
  call('HDEL', waiters, me)
  call('ZREM', line, me)
  return held
end
if type(known) == 'table' or known == 0 then return held == me and 1 or 0 end
local clock, turns = call('TIME'), 2000
local strangers, yields, stays_free
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
  local version = call('HGET', waiters, '!')
  return type(version) == 'string' and version ~= '1'
end
local function leave(who, forgotten)
  call('HDEL', waiters, who, forgotten or who)
  local left = call('ZREM', line, who)
  return left == 1, left
end
local function entry(who)
  local told = call('HGET', waiters, who)
  if type(told) == 'table' then return false end
  local channel, echo, ttl, heard, passed_over =
    string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?%-?)$')
  if channel and clock[1] - heard < 15 then return channel, echo, ttl, passed_over == ' -' end
end
local function tell(channel, words)
  local heard = call('PUBLISH', channel, words)
  if type(heard) == 'table' or heard == 0 then return heard end
  strangers = strangers or call('PUBLISH', channel .. '?', '')
  if type(strangers) == 'table' then return strangers end
  return heard > strangers and heard or 0
end
local function keep(name, ms)
  local left = call('PTTL', name)
  if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
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
local function give()
  local place = 0
  while turns > 0 do
    turns = turns - 1
    local who, second = unpack(call('ZRANGE', line, place, place + 1))
    if not who then return place == 0 end
    local channel, echo, ttl, passed_over = entry(who)
    if channel == false then return true end
    if stays_free and channel and not passed_over then
      if tell(channel, 'next -2 ' .. who) ~= 0 then
        tell_next(second, place + 1, '100')
        return true
      end
    elseif channel and not passed_over then
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
    else
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
local free = held == me or not held
local first = not free and at(0)
local _, left = leave(me, held == me and '')
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
stays_free = ARGV[2] == '0'
if free then serve(true) elseif first == me then serve(false) end
return held == me and 1 or 0)",
"827101ec5632ac532839b7961218ea00c6d2c1ff"};

const Script pass_all{R"(local function pass(KEYS)
local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
local held = call('GET', key)
if held == me then redis.call('DEL', key) end
local known = call('HLEN', waiters)
if type(held) == 'table' then
  call('HDEL', waiters, me)
  call('ZREM', line, me)
  return held
end
if type(known) == 'table' or known == 0 then return held == me and 1 or 0 end
local clock, turns = call('TIME'), 2000
local strangers, yields, stays_free
local function at(place) return call('ZRANGE', line, place, place)[1] end
local function newer()
  local version = call('HGET', waiters, '!')
  return type(version) == 'string' and version ~= '1'
end
local function leave(who, forgotten)
  call('HDEL', waiters, who, forgotten or who)
  local left = call('ZREM', line, who)
  return left == 1, left
end
local function entry(who)
  local told = call('HGET', waiters, who)
  if type(told) == 'table' then return false end
  local channel, echo, ttl, heard, passed_over =
    string.match(told or '', '^(%S+) (%d+) (%d+) (%d+)( ?%-?)$')
  if channel and clock[1] - heard < 15 then return channel, echo, ttl, passed_over == ' -' end
end
local function tell(channel, words)
  local heard = call('PUBLISH', channel, words)
  if type(heard) == 'table' or heard == 0 then return heard end
  strangers = strangers or call('PUBLISH', channel .. '?', '')
  if type(strangers) == 'table' then return strangers end
  return heard > strangers and heard or 0
end
local function keep(name, ms)
  local left = call('PTTL', name)
  if type(left) == 'table' or left < tonumber(ms) then call('PEXPIRE', name, ms) end
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
local function give()
  local place = 0
  while turns > 0 do
    turns = turns - 1
    local who, second = unpack(call('ZRANGE', line, place, place + 1))
    if not who then return place == 0 end
    local channel, echo, ttl, passed_over = entry(who)
    if channel == false then return true end
    if stays_free and channel and not passed_over then
      if tell(channel, 'next -2 ' .. who) ~= 0 then
        tell_next(second, place + 1, '100')
        return true
      end
    elseif channel and not passed_over then
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
    else
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
local free = held == me or not held
local first = not free and at(0)
local _, left = leave(me, held == me and '')
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
stays_free = ARGV[2] == '0'
if free then serve(true) elseif first == me then serve(false) end
return held == me and 1 or 0
end
local all, refused = 1, nil
for _, key in ipairs(KEYS) do
  local said = pass({key})
  if type(said) == 'table' then refused = said elseif said == 0 then all = 0 end
end
return refused or all)",
"90aa551b562b31d68ca30f19355d82274f424d67"};

const Script raise_fence{R"(for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then return redis.status_reply('LOST') end
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
"2c76baddefb21e6604a0a95315a9e2125db54ea5"};

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
if held ~= ARGV[1] then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
end
for _, key in ipairs(KEYS) do
  if not redis.call('SET', key, ARGV[1], 'NX', 'PX', ARGV[2]) then extend({key}) end
end
return recorded == true and redis.status_reply('OK') or recorded)",
"0c8b283b52133b46794411aea6f54fa30f1768fc"};

const Script set_if_absent{R"(return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]))",
"226967c76309c00f5ef247eb6d9414b32c257658"};

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
"2061931d7f12c1594c943c46432f9fbe14773ca8"};

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
"99cb95090d44ce09b3a7df1d5c5853d2e1dfeb77"};

const Script stamp_undo{R"(local held = redis.call('GET', KEYS[1])
if held and string.match(held, '^%d+%.(%d+)$') == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0)",
"69615471684e6ca495330d015849228ea4ce0288"};

const Script swap_all{R"(for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then return 0 end
end
local function swap(KEYS)
local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
if held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if redis.pcall('HLEN', waiters) == 0 then return 1 end
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == held then
  redis.pcall('HDEL', waiters, '')
end
redis.pcall('HDEL', waiters, held)
redis.pcall('ZREM', KEYS[1] .. ':redlock:line', held)
return 1
end
for _, key in ipairs(KEYS) do swap({key}) end
return 1)",
"2bed2be56c1368d82f9b0a361fe4f21072e861dc"};

const Script swap_if_equal{R"(local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
if held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if redis.pcall('HLEN', waiters) == 0 then return 1 end
local given = redis.pcall('HGET', waiters, '')
if type(given) == 'string' and string.match(given, '^%d+ (.*)$') == held then
  redis.pcall('HDEL', waiters, '')
end
redis.pcall('HDEL', waiters, held)
redis.pcall('ZREM', KEYS[1] .. ':redlock:line', held)
return 1)",
"8e19abf54f5e9c6c8f7cdeb30dfa95f5368d658f"};

}  // namespace redlock::scripts
