-- How a line is served. `serve(true)`: the key is free, and the first in line who can be reached
-- gets it; whoever is the first then is told, by `serve(false)` only that. Who cannot be reached is
-- struck out: nobody receives what is published for him, or he was not heard of for 15 s. In one
-- call so many are asked after at most (`turns`), for the server stands still meanwhile. Where its
-- ACL refuses any of it, nobody is served, and what calls it goes on.
--
-- Who yields is passed over, and stays where he stands. Where the key stays free, whoever would
-- have got it is told, and may ask; and so is who stands behind him, to look a little later: the
-- first may stand still.
--
-- Who waits to share it is let in together with all others who do, up to the first who wants it
-- alone; that one is told how long the last of them has it. `open`: the key holds the readers'
-- marker, so those only are served. Who got in otherwise while he stood there, by the repair of a
-- vote, only leaves: that vote may be counted, whether he is heard or not.
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
