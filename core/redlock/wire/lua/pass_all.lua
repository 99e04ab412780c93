-- Removes a token from several keys, and hands each lock on to the first in its line.
--
-- KEYS the keys; the rest as pass has it, for each. 1 when all keys held the token, else 0; an error
-- of one is told once all have been seen to.
local function pass(KEYS)
--include pass
end
local all, refused = 1, nil
for _, key in ipairs(KEYS) do
  local said = pass({key})
  if type(said) == 'table' then refused = said elseif said == 0 then all = 0 end
end
return refused or all
