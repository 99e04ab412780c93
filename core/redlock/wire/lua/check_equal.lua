-- Whether a lock is ours.
--
-- KEYS[1] key, ARGV[1] token. 1 when the key holds it, or it is a reader's, else 0.
local held = redis.call('GET', KEYS[1])
if held == ARGV[1] then return 1 end
if not held then return 0 end
--include part_readers
return reader_until(ARGV[1], held) and 1 or 0
