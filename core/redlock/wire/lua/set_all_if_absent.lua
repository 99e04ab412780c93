-- Takes one or several locks, all or none, and records a fence where one is proposed.
--
-- KEYS the keys, ARGV[1] token, ARGV[2] ttl in ms, ARGV[3] the proposed fence, ARGV[4] the fence's
-- ttl in ms, both or neither. OK when all keys were absent or held the token, and hold it now; where
-- the proposal is not larger than the last fence, that as text. Else BUSY and the place of the first
-- key that is another's, from 1, a status: no removal's answer is taken for it where one is left
-- out. What held the token is extended, as by extend_if_equal: a vote may rest on it, and a join
-- that comes late gives it away no more.
for place, key in ipairs(KEYS) do
  if redis.call('PTTL', key) ~= -2 and redis.pcall('GET', key) ~= ARGV[1] then
    return redis.status_reply('BUSY ' .. place)
  end
end
local recorded = true
if ARGV[3] then
--include part_fence
  recorded = record(ARGV[3], ARGV[4]) or last
end
local function extend(KEYS)
--include extend_if_equal
end
for _, key in ipairs(KEYS) do
  if not redis.call('SET', key, ARGV[1], 'NX', 'PX', ARGV[2]) then extend({key}) end
end
return recorded == true and redis.status_reply('OK') or recorded
