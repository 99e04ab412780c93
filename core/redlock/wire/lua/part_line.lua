-- How a line is read.
--
-- The field without a name says behind which join the lock was given to whom; `>` and a reader's
-- token, behind which join that one was let in. The field `!` is the version of what stands in the
-- two keys, and is not there in the first one; the second knows readers. Who reads a newer one
-- serves nobody, for he would strike out whom he does not understand.
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
