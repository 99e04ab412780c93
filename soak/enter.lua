-- Lets one more inside, and notes in 'wrong' what may not be: two who exclude each other, a permit too many, a slot
-- twice, a fence that is not larger than an earlier one. Each says from when to when it may rely on its lock, on the one
-- clock of the machine, so that those who are slow or dead overlap nobody whom the lock let in after them.
-- KEYS: 'inside:<resource>'; ARGV: who, kind, from, to, fence or '', the fence that was known before it asked, permits, slot
local who, kind, from, to, fence, floor, permits, slot =
    ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
local reads = { shared = true, demoted = true }

local function wrong(what, key, met)
  redis.call('RPUSH', 'wrong', ('%s %s: %s at %s met %s'):format(what, kind, who, key, met))
end

-- Up to the permits that are allowed may be held at any one moment.
local function most_at_once(others)
  local most = 0
  for _, at in ipairs(others) do
    local count = 0
    for _, other in ipairs(others) do
      if other.from <= at.from and at.from < other.to then count = count + 1 end
    end
    most = math.max(most, count)
  end
  return most
end

if to <= from then return end
for _, key in ipairs(KEYS) do
  local entries = redis.call('HGETALL', key)
  local others = {}
  for i = 1, #entries, 2 do
    local their_kind, their_from, their_to, their_slot = entries[i + 1]:match('^(%S+) (%d+) (%d+) (%S*)$')
    their_from, their_to = tonumber(their_from), tonumber(their_to)
    if their_to <= from then
      redis.call('HDEL', key, entries[i])
    elseif entries[i] ~= who and their_from < to then
      local met = entries[i] .. ' ' .. entries[i + 1]
      table.insert(others, { from = math.max(from, their_from), to = their_to })
      if kind ~= 'permit' and not (reads[kind] and reads[their_kind]) then wrong('overlap', key, met) end
      if kind == 'permit' and slot == their_slot then wrong('overlap', key, met) end
    end
  end
  if kind == 'permit' and most_at_once(others) >= permits then wrong('overlap', key, #others .. ' others') end
  if fence then
    -- Readers have no order among themselves but that of who had one before the other asked.
    local before = redis.call('HGET', 'fences', key .. (reads[kind] and ' written' or ''))
    local last, since = (before or '0 0'):match('^(%d+) (%d+)$')
    if fence <= floor then wrong('fence', key, fence .. ' after ' .. floor) end
    if fence <= tonumber(last) and tonumber(since) < from then wrong('fence', key, fence .. ' after ' .. last) end
    local top = tonumber((redis.call('HGET', 'fences', key) or '0 0'):match('^%d+'))
    if fence > top then redis.call('HSET', 'fences', key, ('%.0f %s'):format(fence, ARGV[3])) end
    if not reads[kind] then redis.call('HSET', 'fences', key .. ' written', ('%.0f %s'):format(fence, ARGV[3])) end
  end
  redis.call('HSET', key, who, ('%s %s %s %s'):format(kind, ARGV[3], ARGV[4], slot))
end
