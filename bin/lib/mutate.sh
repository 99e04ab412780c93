# How bin/mutants tries a mutant: a copy of the tree with an incremental build for each job, an edit at
# a time, the suites in turn until one fails. Sourced behind start.sh; wants $work, $patches, $index and
# $generated.

# The quick suites first; each is a program of the CMake build.
suites=(unit_tests sim_tests sim_conformance_tests io_tests exhaustive_tests)
# What a mutant may use that allocates or prints without end, in KiB.
memory_max=6000000 file_max=300000

build() { cmake --build "$build" -j "$1" --target "${@:2}" >"$job/build.log" 2>&1; }

# Of the tree, what a build needs in which mutants are tried.
copy_original() {
  mkdir -p "$1/docs"
  cp -a "$root"/{core,tests,cmake,CMakeLists.txt} "$1/"
  cp -a "$root/docs/limits.md" "$1/docs/"
}

# configure_copy TREE BUILD
configure_copy() {
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= \
    -DREDLOCK_BUILD_CLI=OFF -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS='-O1 -D_GLIBCXX_ASSERTIONS' \
    --compile-no-warning-as-error
}

# Makes a copy of the tree with a configured build; equal paths below the job's folder let ccache
# share objects between jobs. The core is optimised enough to be quick, the tests are quickly compiled.
prepare() {
  # Sees leaks in a program that was not built for it.
  leak_watch=$("${CXX:-g++}" -print-file-name=liblsan.so)
  [[ -e $leak_watch ]] || { echo 'the compiler has no LeakSanitizer' >&2; return 1; }
  job=$work/$1 tree=$work/$1/tree build=$work/$1/build
  mkdir -p "$job"
  cp -a "$work/original" "$tree"
  # What is found nowhere, as an edit never is, is not preprocessed first.
  export CCACHE_BASEDIR=$job CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
  configure_copy "$tree" "$build" >"$job/build.log" 2>&1 &&
    build "$2" "${suites[@]}" || { tail -n 30 "$job/build.log" >&2; return 1; }
  objects=$(sum_objects)
  mkdir "$job/sums"
  local suite
  for suite in "${suites[@]}"; do sum_program "$suite" >"$job/sums/$suite"; done
}

# What the core was compiled to: the same for an edit that changes nothing.
sum_objects() { find "$build/CMakeFiles/redlock.dir" -name '*.o' -exec sha1sum {} + | sort | sha1sum; }

program_of() { find "$build" -name "$1" -type f -executable | head -n 1; }
sum_program() { sha1sum <"$(program_of "$1")"; }
# Whether a suite has nothing of what was edited: the linker takes only what a program needs.
is_untouched() { [[ $(sum_program "$1") == "$(<"$job/sums/$1")" ]]; }

last_run() { sed -n 's/^\[ RUN      \] //p' "$1" | tail -n 1; }

# What a suite takes without an edit, which decides what is too long.
note_usual() {
  local longest
  longest=$(cat "$job"/test.*.log | sed -nE 's/^\[ +OK \] .* \(([0-9]+) ms\)$/\1/p' | sort -n | tail -n 1)
  echo "$2 $((longest / 1000 + 1))" >"$work/usual-$1"
}

# Ends a process whose log has not grown for a while: a test without end. Beside it, until it is gone.
watch_log() {
  local pid=$1 log=$2 patience=$3 size=-1 grown never now
  trap - EXIT INT TERM
  exec {never}<> <(:)
  grown=$SECONDS
  while read -rt 1 -u "$never"; kill -0 "$pid" 2>/dev/null; do
    now=$(stat -c %s "$log")
    [[ $now == "$size" ]] || size=$now grown=$SECONDS
    ((SECONDS - grown <= patience)) || kill "$pid" 2>/dev/null || true
  done
}

# Servers are waited for most of the time: so many processes at once.
io_shards=4

# run_suite SUITE [FILTER]: prints what failed first and returns 1 when something did.
run_suite() {
  local shards=1 i ended status
  local -A left=()
  [[ $1 != io_tests ]] || shards=$io_shards
  rm -f "$job"/test.*.log
  for ((i = 0; i < shards; i++)); do
    run_shard "$1" "${2-*}" "$i" "$shards" >"$job/failed.$i" &
    left[$!]=$i
  done
  while ((${#left[@]} > 0)); do
    ended= status=0
    wait -n -p ended "${!left[@]}" 2>/dev/null || status=$?
    # One that ended before the last was begun is known by its number alone.
    if [[ -z ${ended-} ]]; then
      for ended in "${!left[@]}"; do kill -0 "$ended" 2>/dev/null || break; done
      status=0
      wait "$ended" || status=$?
    fi
    if ((status == 0)); then
      unset "left[$ended]"
      continue
    fi
    head -n 1 "$job/failed.${left[$ended]}"
    # The others need not go on.
    for i in "$job"/running.*; do { kill "$(<"$i")"; } 2>/dev/null || true; done
    wait
    return 1
  done
}

# run_shard SUITE FILTER INDEX SHARDS
run_shard() {
  local suite=$1 filter=$2 program log=$job/test.$3.log status=0 watcher
  local usual=200 longest=60 limit patience
  { read -r usual longest <"$work/usual-$suite"; } 2>/dev/null || true
  limit=$((3 * usual + 10)) patience=$((3 * longest + 2))
  program=$(program_of "$suite")
  : >"$log"
  # In the background, for its number: a group of its own, which timeout ends when it is ended.
  (
    ulimit -v "$memory_max" -f "$file_max"
    export GTEST_SHARD_INDEX=$3 GTEST_TOTAL_SHARDS=$4
    cd "$job" && exec timeout -k 5 "$limit" "$program" --gtest_fail_fast --gtest_filter="$filter"
  ) >"$log" 2>&1 </dev/null &
  echo $! >"$job/running.$3"
  watch_log $! "$log" "$patience" >/dev/null 2>&1 &
  watcher=$!
  { wait "$(<"$job/running.$3")" || status=$?; } 2>/dev/null
  rm "$job/running.$3"
  { kill "$watcher" && wait "$watcher"; } 2>/dev/null || true
  ((status != 0)) || return 0
  if ((status == 124 || status == 137 || status == 143)); then
    echo "no end of $(last_run "$log")"
  else
    sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$log" | grep -am 1 . ||
      echo "exit status $status in $(last_run "$log")"
  fi
  return 1
}

# files_near SUITE SOURCE: the suite's files that include the header of a source.
files_near() {
  local header=${2#core/}
  grep -lF "\"${header%.*}.hpp\"" "$tree/tests/${1%_tests}"/*_test.cpp || true
}

# filter_for SUITE SOURCE: the tests in them.
filter_for() {
  local found
  found=$(files_near "$1" "$2" | xargs -r \
    sed -nE 's/^TEST(_F|_P)?\((\w+),.*/\2.*:*\/\2.*/p' | sort -u | paste -sd:)
  echo "${found:-none}"
}

# objects_near SOURCE: what the unit tests near a header are compiled to, several at a time.
objects_near() {
  local folder=tests/CMakeFiles/unit_tests.dir file
  files_near unit_tests "$1" | while read -r file; do
    (cd "$build" && grep -lF "\"$file\"" "$folder"/Unity/*.cxx) || echo "$folder/${file#"$tree/tests/"}"
  done | sort -u | sed 's/$/.o/'
}

# Links the unit tests near a header for themselves: that it is killed is mostly known without
# compiling the others, which takes minutes. Fails where there are none.
build_near() {
  local objects=() kept=() words word
  mapfile -t objects < <(objects_near "$1")
  ((${#objects[@]} > 0)) || return 1
  read -ra words < <(ninja -C "$build" -t commands tests/unit_tests | tail -n 1)
  for word in "${words[@]}"; do
    [[ $word != tests/CMakeFiles/unit_tests.dir/* || " ${objects[*]} " == *" $word "* ]] || continue
    [[ $word != tests/unit_tests ]] || word=tests/near_tests
    kept+=("$word")
  done
  build 1 redlock redlock_support "${objects[@]}" || return 1
  cp "$work/usual-unit_tests" "$work/usual-near_tests"
  (cd "$build" && eval "${kept[*]}") >>"$job/build.log" 2>&1
}

# Links a suite as it was compiled without the edit with the core that has it, whose inline functions come
# first and so count everywhere. To compile all suites anew takes ten minutes, and another constant alone
# is seen nowhere else.
link_again() {
  local words word linked=()
  words=$(program_of "$1")
  read -ra words < <(ninja -C "$build" -t commands "${words#"$build/"}" | tail -n 1)
  for word in "${words[@]}"; do
    linked+=("$word")
    [[ $word != */c++ && $word != */g++ ]] ||
      linked+=(-Wl,--whole-archive libredlock.a -Wl,--no-whole-archive)
  done
  (cd "$build" && eval "${linked[*]}") >>"$job/build.log" 2>&1
}

# Makes a suite's program with the edit.
build_suite() {
  if [[ -d $job/kept && $generated -gt 0 && $2 != *-constant ]]; then
    link_again "$1"
  else
    build 1 "$1"
  fi
}

# The tests that try an edit, a line for each turn: a suite and the filter of its tests. What is near the edited file
# comes first, on real servers too: those are few, and the simulator takes longer. Of the exhaustive check, whose
# worlds are made of algorithm and wire, the comparison with the product sees the edits elsewhere.
turns_for() {
  local source=$1 suite near near_io
  near=$(filter_for unit_tests "$source") near_io=$(filter_for io_tests "$source")
  for suite in "${suites[@]}"; do
    case $suite in
      unit_tests) printf '%s\n' "unit_tests $near" "unit_tests -$near" "io_tests $near_io" ;;
      io_tests) echo "io_tests -$near_io" ;;
      exhaustive_tests)
        [[ $source == core/redlock/@(algorithm|wire)/* ]] && echo "$suite *" || echo "$suite Comparison.*"
        ;;
      *) echo "$suite *" ;;
    esac
  done
}

# kills SUITE FILTER: prints what failed, and succeeds where something did.
kills() {
  ! run_suite "$1" "$2" || return 1
  # Beside other work a test on real servers may fail for nothing, but not twice.
  [[ $1 != io_tests ]] || ! run_suite "$1" "$2" >/dev/null
}

# Prints "state|suite|what failed".
try_mutant() {
  local name=$1 source suite filter what turn turns
  patch -d "$tree" -p1 -F0 -s --no-backup-if-mismatch <"$patches/$name.patch" \
    >"$job/patch.log" 2>&1 || { echo 'error|patch|does not apply'; return; }
  build 1 redlock || { echo 'error|build|does not compile'; return; }
  [[ $(sum_objects) != "$objects" ]] || { echo 'same|compiler|compiled to the same'; return; }
  source=$(paths_of "$name" | head -n 1)
  if is_header "$name" && build_near "$source"; then
    what=$(kills near_tests '*') && { echo "killed|unit_tests|$what"; return; }
  fi
  mapfile -t turns < <(turns_for "$source")
  for turn in "${turns[@]}"; do
    read -r suite filter <<<"$turn"
    [[ $filter != none ]] || continue
    build_suite "$suite" "$name" || { echo 'error|build|does not compile'; return; }
    is_untouched "$suite" && continue
    what=$(kills "$suite" "$filter") && { echo "killed|$suite|$what"; return; }
  done
  if [[ ${suites[0]} == unit_tests ]] && leaks; then echo 'killed|leaks|unit_tests leak'; else echo 'SURVIVED||'; fi
}

# Memory that the unit tests lose, which only the sanitized builds of bin/test see; what let the
# suites pass allocates no more than they may.
leaks() {
  ! LD_PRELOAD=$leak_watch timeout 60 "$build/tests/unit_tests" --gtest_brief=1 >"$job/test.log" 2>&1 </dev/null
}

paths_of() { sed -n 's|^+++ b/||p' "$patches/$1.patch"; }
is_header() { paths_of "$1" | grep -q '\.hpp$'; }

# A header is compiled into nearly everything: what was built without the edit is kept aside.
keep() { ! is_header "$1" || cp -a "$build" "$job/kept"; }

# Puts back what a patch touched: a header with what was built of it, a source newer than its object,
# so that it is compiled again.
restore() {
  local path
  paths_of "$1" | while read -r path; do
    rm "$tree/$path"
    if [[ $path == *.hpp ]]; then
      cp -p "$work/original/$path" "$tree/$path"
    else
      cp "$work/original/$path" "$tree/$path"
    fi
  done
  [[ -d $job/kept ]] || return 0
  rm -rf "$build"
  mv "$job/kept" "$build"
}

# Takes mutants until none is left, and writes "state|suite|what failed|seconds" for each.
run_worker() {
  local name begun result
  [[ $1 == 1 ]] || prepare "$1" 1 || return 1
  for name in "${names[@]}"; do
    mkdir "$work/claims/$name" 2>/dev/null || continue
    begun=$SECONDS
    if [[ ${judgement[$name]-} == equivalent ]]; then
      result='equivalent||judged before'
    else
      keep "$name"
      result=$(try_mutant "$name")
      restore "$name"
    fi
    echo "$result|$((SECONDS - begun))" >"$work/results/$name"
    local done_count=("$work"/results/*)
    IFS='|' read -r state suite what <<<"$result"
    end_line
    printf '[%d/%d] %-10s %-36s %s %s\n' "${#done_count[@]}" "${#names[@]}" "$state" "$name" \
      "$suite" "$what"
  done
}
