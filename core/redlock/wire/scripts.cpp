// Script texts. The SHA1s belong to the exact bytes: recompute them with every edit.
#include "redlock/wire/scripts.hpp"

namespace redlock::scripts {

const Script delete_if_equal{
    R"(if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0)",
    "b6a796aa8d73bb4ce6e26afe648196d086a8d1f1"};

const Script extend_if_equal{
    R"(if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1)",
    "534bd37c93e1dbec335cd1eae3835fedf282b5ce"};

const Script check_equal{
    R"(if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
return 0)",
    "91dcb3cc30dcd119457d057157b65a9e90f2b1e0"};

const Script inspect{
    R"(local held = redis.call('GET', KEYS[1])
if not held then return false end
return redis.call('PTTL', KEYS[1]) .. ' ' .. held)",
    "99459a90cee50bbbdec7e982f037f58d4378e784"};

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
