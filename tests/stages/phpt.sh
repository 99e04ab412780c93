# Runs the phpt tests on a strict build of the extension; for the stages phpt and leaks.

# run_phpt OPTION...: options of run-tests.php; counts a leak as a failure.
run_phpt() {
  local log=$build/log/run-tests.out tests=$build/phpt
  mkdir -p "$build/log"
  bin/build-ext --dev
  # Its leavings belong beside a copy. The tests look for the stubs two folders up.
  rm -rf "$tests"
  mkdir -p "$tests/tests"
  tracked tests/phpt stubs | tar -cf - -T - | tar -xf - -C "$tests"
  lend_posix build-ext/obj
  # One is about a signal that thread-safe builds do not use.
  [[ -z $(php -r 'echo PHP_ZTS ?: "";') ]] || rm "$tests/tests/phpt/time_limit_timer.phpt"
  gauge_total=$(find "$tests" -name '*.phpt' | wc -l)
  watched 'phpt tests' phpt "$log" \
    make -C build-ext/obj test NO_INTERACTION=1 TESTS="-q -j$(nproc) $* $tests/tests" ||
    sed -n '/FAILED TEST SUMMARY/,$p;/^LEAK\|LEAKED TEST SUMMARY/p' "$log"
  count_phpt "$log" passed
  passed=$counted
  count_phpt "$log" failed
  failed=$counted
  # Nothing is to be skipped or to leak on the way to a green line.
  for kind in skipped leaked warned; do
    count_phpt "$log" "$kind"
    failed=$((failed + counted))
  done
  if ((failed > 0)); then
    find "$tests" -name '*.diff' -o -name '*.mem' | sort | while read -r file; do
      tail -n 30 "$file"
      echo "FAILED: ${file#"$tests/"}"
    done
    sed -nE 's|^.* \[.*/(phpt/[^]/]*\.phpt)\] \((warn: .*)\)$|FAILED: tests/\1 (\2)|p' "$log"
  fi
}

# lend_posix FOLDER: one test signals itself; make test looks in FOLDER for extensions of PHP's own beside ours.
lend_posix() {
  local posix
  posix=$("${PHP_CONFIG:-php-config}" --extension-dir)/posix.so
  [[ ! -e $posix ]] || ln -sf "$posix" "$1/modules/"
}

# count_phpt LOG KIND: sets counted to the number in a line like "Tests passed : 26 (100.0%)".
count_phpt() {
  counted=$(sed -n "s/^Tests $2 *: *\([0-9]*\) .*/\1/p" "$1")
  counted=${counted:-0}
}
