# What the stages of bin/test share: where things are, how builds are configured, how counts are told.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/../../bin/lib/start.sh"
source "$root/bin/lib/progress.sh"
source "$root/bin/lib/scratch.sh"
build=${REDLOCK_BUILD:-$root/build-test}
cd "$root"
mkdir -p "$build/log"

# tracked PATTERN...: the project's files, new ones included, that git's patterns match.
tracked() {
  git -c safe.directory="$root" ls-files --cached --others --exclude-standard -- "$@" | sort -u |
    while read -r file; do [[ ! -f $file ]] || echo "$file"; done
}

# Ends the stage with its counts.
finish() {
  local passed=$1 failed=$2
  if [[ -n ${REDLOCK_COUNTS-} ]]; then
    echo "$passed $failed" >"$REDLOCK_COUNTS"
  else
    echo "$passed passed, $failed failed"
  fi
  exit $((failed > 0))
}

# quietly_as WHAT GAUGE COMMAND...: runs a command whose output matters only when it fails.
quietly_as() {
  local log=$build/log/${0##*/}.step status=0
  watched "$1" "$2" "$log" "${@:3}" || status=$?
  if ((status != 0)); then
    cat "$log"
    echo "FAILED: status $status of ${*:3}"
  fi
  return "$status"
}
quietly() { quietly_as "${1##*/}" none "$@"; }

# compile DIR TARGET...: builds with cmake, counting.
compile() { quietly_as "compiling ${2-all}" ninja cmake --build "$1" -j "$(nproc)" --target "${@:2}"; }

# cmake_configure DIR OPTION...: a build folder for the C++ side, in which warnings are errors.
cmake_configure() {
  quietly cmake -S "$root" -B "$1" -G Ninja -DREDLOCK_UNITY=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON "${@:2}"
}

# build_sanitized TARGET...: in the build that stages unit, io, fuzz and cli share: clang++,
# which takes two thirds of the time that g++ takes for it, with sanitizers, which stop at the first report,
# and with what libFuzzer wants to see.
sanitized=$build/sanitized
configure_sanitized() {
  cmake_configure "$sanitized" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g1' -DREDLOCK_SANITIZE=address,undefined,fuzzer-no-link
}
build_sanitized() {
  configure_sanitized
  compile "$sanitized" "$@"
}
# build_optimized TARGET...: what counts schedules and states runs as fast as it can, and
# is what users install: g++. What a debugger wants would take a quarter of the compiler's time.
optimized=$build/optimized
build_optimized() {
  cmake_configure "$optimized" -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O2 -DNDEBUG' \
    -DBUILD_SHARED_LIBS=OFF
  compile "$optimized" "$@"
}
# build_shared TARGET...: as a shared library in the same folder, from the same objects but a few.
build_shared() {
  cmake_configure "$optimized" -DBUILD_SHARED_LIBS=ON
  compile "$optimized" "$@"
}

export ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}

passed=0 failed=0
# check CLAIM COMMAND...: counts whether it holds.
check() {
  local claim=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "ok: $claim"
  else
    failed=$((failed + 1))
    echo "FAILED: $claim"
  fi
}
# Waits for a condition, ten seconds at most.
eventually() {
  local i
  for ((i = 0; i < 200; i++)); do
    ! "$@" || return 0
    sleep 0.05
  done
  return 1
}

# count_gtest LOG STATUS PROGRAM OPTION...: adds to passed and failed what a GoogleTest program said.
count_gtest() {
  local log=$1 status=$2 good=0 bad=0
  shift 2
  good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\{0,1\}\..*/\1/p' "$log")
  bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) tests\{0,1\}, listed below.*/\1/p' "$log")
  if ((status != 0)); then
    grep -vE '^\[( RUN      |       OK |-{10})\]' "$log" || true
    ((${bad:-0} > 0)) || { bad=1; echo "FAILED: status $status of $*"; }
  elif ! ((${good:-0} > 0)); then
    cat "$log"
    echo "FAILED: $1 ran no test"
    bad=1
  fi
  passed=$((passed + ${good:-0}))
  failed=$((failed + ${bad:-0}))
}
# run_gtest PROGRAM OPTION...: runs it as a whole.
run_gtest() {
  local log=$build/log/${1##*/}.out status=0
  watched "${1##*/}" gtest "$log" "$@" || status=$?
  count_gtest "$log" "$status" "$@"
}

# run_gtest_shards PROGRAM OPTION...: runs its tests on all processors; only for tests that share
# nothing. There are several shards for each, so that they end together.
run_gtest_shards() {
  local log=$build/log/${1##*/}.out shards i
  shards=$((4 * $(nproc)))
  rm -f "$log".*
  watched "${1##*/}" shards "$log" run_shards "$log" "$shards" "$@" || true
  for ((i = 0; i < shards; i++)); do
    count_gtest "$log.$i" "$(cat "$log.$i.status")" "$@"
  done
}
run_shards() {
  export -f run_shard
  seq 0 "$(($2 - 1))" | xargs -P "$(nproc)" -I {} bash -c 'run_shard "$@"' - "$1" "$2" {} "${@:3}"
}
run_shard() {
  local status=0
  GTEST_TOTAL_SHARDS=$2 GTEST_SHARD_INDEX=$3 "${@:4}" >"$1.$3" 2>&1 || status=$?
  echo "$status" >"$1.$3.status"
}

# run_phpunit CONFIGURATION: runs its suites as processes of their own, one for each processor at a time;
# they wait for servers most of the time. With the extension EXTENSION; PHPUNIT is another PHPUnit.
run_phpunit() {
  local log=$build/log/${1//\//-} suite
  rm -f "$log".*
  watched 'PHPUnit tests' suites "$log" run_suites "$log" "$1" || true
  for suite in $(suites_of "$1"); do
    count_phpunit "$log.$suite" "$suite"
  done
}
suites_of() { sed -n 's/.*<testsuite name="\([A-Za-z]*\)">.*/\1/p' "$1"; }
run_suites() {
  export -f run_suite
  suites_of "$2" | xargs -P "$(nproc)" -I {} bash -c 'run_suite "$@"' - "$1.{}" "$2" {}
}
# Its lines for other programs come as tests end, while its dots wait for a whole line.
run_suite() {
  local status=0
  php ${EXTENSION:+-d "extension=$EXTENSION"} "${PHPUNIT:-$(command -v phpunit)}" -c "$2" --testsuite "$3" \
    --teamcity --log-junit "$1.xml" >"$1" 2>&1 || status=$?
  echo "$status" >"$1.status"
}
# Adds what a suite came to, and prints what failed.
count_phpunit() {
  local said=$1 good=0 bad=0 status=1
  read -r status <"$said.status" || true
  ((status == 0)) || grep -vE '^(##teamcity|$)' "$said" || true
  # A debug PHP says at its end what its allocator was not given back.
  ! grep -q 'memory leaks detected' "$said" || status=1
  # Nothing is to be skipped on the way to a green line.
  read -r good bad < <(php -r '
    $suite = @simplexml_load_file($argv[1])->testsuite ?? exit("0 1\n");
    foreach ($suite->xpath("//testcase[failure or error or skipped]") as $test) {
      // Their text begins with the name again.
      fwrite(STDERR, trim(strstr($test->failure . $test->error, "\n")) . "\nFAILED: {$test["class"]}::{$test["name"]}"
        . ($test->skipped ? " was skipped" : "") . "\n");
    }
    $bad = $suite["errors"] + $suite["failures"] + $suite["skipped"];
    echo $suite["tests"] - $bad, " ", $bad, "\n";
  ' "$said.xml") || true
  # What fails outside of tests, such as a data provider or a leak, is in none of these counts.
  ((status == 0 || bad > 0)) || { bad=1; echo "FAILED: suite $2 ended with $status"; }
  passed=$((passed + good))
  failed=$((failed + bad))
}
