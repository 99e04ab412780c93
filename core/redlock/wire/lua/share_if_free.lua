-- Takes a lock together with others who share it, and records a fence where one is proposed.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms, ARGV[3] the proposed fence, ARGV[4] the fence's ttl
-- in ms, both or neither. OK when the key was absent or shared and nobody waits who wants it alone:
-- then the token is a reader's now. So it is when it was one before, or the key held it; that is
-- extended, as by extend_if_equal. Where the proposal is not larger than the last fence, that as
-- text. Else BUSY 1, a status.
--
-- Of a line only the first are looked at: behind more than these somebody might want it alone.
--include part_names
--include part_readers
--include part_last
--include part_enter
local held = redis.pcall('GET', key)
local in_already = held == me or reader_until(me, held)
local function wanted_alone()
  if redis.call('ZCARD', line) == 0 then return false end
--include part_line
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
--include part_fence
  recorded = record(ARGV[3], ARGV[4]) or last
end
if in_already then
  local function extend()
--include extend_if_equal
  end
  extend()
else
  enter(me, ARGV[2], held)
end
return recorded == true and redis.status_reply('OK') or recorded
