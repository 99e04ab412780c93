-- Takes a lock as SET does, which proves that this server runs scripts.
--
-- KEYS[1] key, ARGV[1] token, ARGV[2] ttl in ms. What SET answers: OK, or nothing.
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
