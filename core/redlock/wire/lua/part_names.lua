-- How scripts of the line call what they work on.
--
-- The line's keys are named here and not by the caller: where an ACL does not cover them, a removal
-- still removes.
local key, me = KEYS[1], ARGV[1]
local line, waiters = key .. ':redlock:line', key .. ':redlock:waiters'
local call, unpack = redis.pcall, table.unpack or unpack
