// Script texts. The SHA1s belong to the exact bytes: recompute them with every edit.
#include "redlock/wire/scripts.hpp"

#include <algorithm>
#include <array>

namespace redlock::scripts {

namespace {

// One text behind the other.
template <const std::string_view&... Part>
struct Joined {
  static constexpr auto kBytes = [] {
    std::array<char, (Part.size() + ...)> bytes{};
    char* end = bytes.data();
    ((end = std::copy(Part.begin(), Part.end(), end)), ...);
    return bytes;
  }();
  static constexpr std::string_view kText{kBytes.data(), kBytes.size()};
};

// The line's keys are named here and not by the caller: where an ACL does not cover them, a removal
// still removes.
constexpr std::string_view kNames = R"(local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
)";

// How a line is served. `serve(true)`: the key is free, and the first in line who can be reached
// gets it; whoever is the first then is told, by `serve(false)` only that. Who cannot be reached is
// struck out: nobody receives what is published for him, or he was not heard of for 15 s. In one
// call so many are asked after at most (`turns`), for the server stands still meanwhile. Where its
// ACL refuses any of it, nobody is served, and what calls it goes on.
//
// What is published last leaves the server first, so whoever gets the lock is told last.
//
// Clients that subscribe to patterns receive all the same what is published for somebody who has
// gone: so many are taken off as receive what is for nobody.
//
// Who yields is passed over, and stays where he stands. Where the key stays free, whoever would
// have got it is told, and may ask; and so is who stands behind him, to look a little later: the
// first may stand still.
//
// The field without a name says behind which join the lock was given to whom. The field `!` is the
// version of what stands in the two keys, and is not there in the first one: who reads a newer one
// serves nobody, for he would strike out whom he does not understand.
constexpr std::string_view kServe =
    R"(local clock, turns = call('TIME'), 2000
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
)";

// Where nobody waits, this is all.
constexpr std::string_view kRemove = R"(local held = call('GET', key)
if held == me then redis.call('DEL', key) end
local known = call('HLEN', waiters)
if type(held) == 'table' then
  call('HDEL', waiters, me)
  call('ZREM', line, me)
  return held
end
if type(known) == 'table' or known == 0 then return held == me and 1 or 0 end
)";

// Who could not leave, on a server that takes no writes, is told so.
constexpr std::string_view kPassOn = R"(local free = held == me or not held
local first = not free and at(0)
local _, left = leave(me, held == me and '')
if type(left) == 'table' and type(call('ZRANK', line, me)) == 'number' then return left end
stays_free = ARGV[2] == '0'
if free then serve(true) elseif first == me then serve(false) end
return held == me and 1 or 0)";

// The caller stands in line first, and is served like everybody: so the earliest ticket gets it.
// The neighbours' places are looked at, for whoever vanished without a word.
//
// Where anything is refused that a hand-over needs, nobody may stand in line: he would never be
// told.
//
// A join that was overtaken by a later one, on another connection, changes nothing: it could give a
// vote away that was counted. Nor does one of a holder of whom it is not known any more which was
// his latest: so it is from the moment when a later join gives up what an earlier one had.
//
// Who only stands there leaves free what is free: `0` to whoever had it before and repairs it
// again, what he had himself too; `2` gives that to those behind him; `3` keeps it, for it may have
// been handed to him while this was on its way, unless somebody in front of him waits.
//
// What grants is said in another way than by a removal: one may go on the same connection, and
// where a server leaves an answer out the next one must not fit.
//
// Where the caller is the only one in line, nothing is kept of others: what is known of whom the
// line forgot would stay for as long as locks are handed on. Not before ZADD: behind another
// command that writes, a server without memory would carry that out.
constexpr std::string_view kJoin = R"(local held = call('GET', key)
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
return standing(redis.call('ZRANK', line, me)))";

}  // namespace

const Script pass{Joined<kNames, kRemove, kServe, kPassOn>::kText,
                  "827101ec5632ac532839b7961218ea00c6d2c1ff"};
const Script join{Joined<kNames, kServe, kJoin>::kText, "2665d86cfe98bb42613c4dc0767f7a1cdb0d07ed"};

const Script set_if_absent{R"(return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]))",
                           "226967c76309c00f5ef247eb6d9414b32c257658"};

// Behind which join the lock was given is forgotten: a vote that an extend has counted, or that is
// repaired again behind one, must not be given away by a later join that was overtaken on its way.
const Script extend_if_equal{
    R"(local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
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

// As an extend: the vote counts by this from now on, and a join that speaks of the old token,
// however late, gives nothing away.
const Script swap_if_equal{
    R"(local held, waiters = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:waiters'
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

const Script check_equal{
    R"(if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
return 0)",
    "91dcb3cc30dcd119457d057157b65a9e90f2b1e0"};

const Script inspect{
    R"(local held, line = redis.call('GET', KEYS[1]), KEYS[1] .. ':redlock:line'
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

// A win needs now > stamp: whole units on both sides, so the fraction never matters.
//
// A stamp in another unit is about a thousand times off this clock. Told are those that are 100 to
// 10,000 times off: of seconds read as milliseconds, every date from 1975 on and every lease of up
// to 100 years; but of milliseconds only dates of the year 1970, so that no stamp that was once
// right is too old to be taken.
const Script stamp_take{
    R"(local held = redis.pcall('GET', KEYS[1])
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

const Script stamp_undo{
    R"(local held = redis.call('GET', KEYS[1])
if held and string.match(held, '^%d+%.(%d+)$') == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0)",
    "69615471684e6ca495330d015849228ea4ce0288"};

// A stamp in seconds stands until the whole second after it has begun. A release that arrives
// late must not take an old client's live stamp for ours: here, too, our own lease must still run.
const Script stamp_release{
    R"(local held = redis.call('GET', KEYS[1])
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

const Script stamp_check{
    R"(local held = redis.call('GET', KEYS[1])
if not held then return 0 end
if held == ARGV[1] then return 1 end
if ARGV[2] == '1' and string.match(held, '^%d+$') then return 1 end
return 0)",
    "935bc2f08aac29a5bc0ba26e000ce18db3feb63f"};

}  // namespace redlock::scripts
