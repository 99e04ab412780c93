--TEST--
Subclasses of the userland classes, untyped as they were written, load without a word
--EXTENSIONS--
redlock
--INI--
error_reporting=E_ALL
--FILE--
<?php
class OldRedLock extends RedLock {
    public function lock($resource, $ttl) { return 'old'; }
    public function unlock(array $lock) { return parent::unlock($lock); }
    public function extend($lock, $ttl) {}
    public function isHeld($lock) {}
    public function lastErrors() {}
}
class OldPidLock extends PidLock {
    public function getPidLock($pid, $lock_timeout, $sleep_time = 0, $retry_times = 0, $buffer_time = 0.001) { return 'old'; }
    public function releasePidLock($pid, $buffer_time = 0.003) {}
    public function holdsPidLock($pid) {}
    public function remainingPidLock($pid) {}
    protected function _getLockKey($pid) {}
}
class TypedRedLock extends RedLock {
    public function lock(string|int $resource, int $ttl): array|false { return false; }
    public function unlock(array $lock): bool { return false; }
}
var_dump((new OldRedLock(['127.0.0.1']))->lock('r', 1000), (new OldPidLock())->getPidLock('p', 1));
?>
--EXPECT--
string(3) "old"
string(3) "old"
