-- Whether a lock is ours.
--
-- KEYS[1] key, ARGV[1] token. 1 when the key holds it, else 0.
if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
return 0
