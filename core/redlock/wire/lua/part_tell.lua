-- How those in line are told.
--
-- What is published last leaves the server first, so whoever gets the lock is told last.
--
-- Clients that subscribe to patterns receive all the same what is published for somebody who has
-- gone: so many are taken off as receive what is for nobody.
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
