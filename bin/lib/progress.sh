# Says what a long step is doing, every few seconds: in one line that changes on a terminal, in whole
# lines elsewhere. Sourced behind start.sh.

progress_fd=${REDLOCK_PROGRESS_FD:-2}
progress_seconds=7 # Between two lines where there is no terminal.

is_live() { [[ -t $progress_fd && ${TERM-dumb} != dumb ]]; }

# What the log of a step says about how far it is, for each kind of step. Empty: nothing yet.
gauge_none() { :; }
gauge_ninja() { sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\] .*/\1 of \2/p' "$1" | tail -n 1; }
gauge_libtool() {
  local count
  count=$(grep -c -- '--mode=compile' "$1") || return 0
  echo "$count of ${gauge_total:-?}"
}
gauge_gtest() {
  local total
  total=$(sed -n 's/^\[==========\] Running \([0-9]*\) tests\{0,1\} .*/\1/p' "$1")
  [[ -z $total ]] || echo "$(grep -cE '^\[ +(OK|FAILED) +\] .*\(' "$1") of $total"
}
# Of a program that runs in shards, each with a log behind this one.
gauge_shards() { echo "$(cat "$1".* | grep -cE '^\[ +(OK|FAILED) +\] .*\(') tests"; }
gauge_phpt() {
  local count
  count=$(grep -cE '^(PASS|FAIL|SKIP|LEAK|XFAIL|BORK|WARN)' "$1") || return 0
  echo "$count of ${gauge_total:-?}"
}
# Of PHPUnit's suites, each with a log behind this one.
gauge_suites() { echo "$(cat "$1".* | grep -c '^##teamcity\[testFinished') tests"; }
gauge_lines() { echo "$(wc -l <"$1") lines"; }

show_line() {
  if is_live; then
    printf '\r\e[K   %.*s\r' "$((${COLUMNS:-80} - 4))" "$1" >&"$progress_fd"
  else
    printf '   %s\n' "$1" >&"$progress_fd"
  fi
}
end_line() { ! is_live || printf '\r\e[K' >&"$progress_fd"; }

# Draws or prints until the parent ends or ends it. A pipe that nobody writes to makes read a sleep
# which leaves no process behind.
tick() {
  local what=$1 gauge=$2 log=$3 began=$SECONDS pause=$progress_seconds never said
  trap - EXIT INT TERM
  ! is_live || pause=1
  exec {never}<> <(:)
  while read -rt "$pause" -u "$never"; [[ -d /proc/$$ ]]; do
    said=$("$gauge" "$log" 2>/dev/null)
    show_line "$what${said:+: $said}, $(duration $((SECONDS - began)))"
  done
}

# start_ticking WHAT GAUGE LOG: says from now on how far a step is. GAUGE names a function above.
start_ticking() {
  tick "$1" "gauge_$2" "$3" &
  ticker=$!
}
stop_ticking() {
  [[ -n ${ticker-} ]] || return 0
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  ticker=
  end_line
}

# watched WHAT GAUGE LOG COMMAND...: runs COMMAND with its output in LOG, and says meanwhile how far
# it is.
watched() {
  local log=$3 status=0
  : >"$log"
  start_ticking "$1" "$2" "$log"
  "${@:4}" >"$log" 2>&1 || status=$?
  stop_ticking
  return "$status"
}

# step WHAT GAUGE COMMAND...: the same, with its output in $log; ends the script where the command fails.
step() {
  watched "$1" "$2" "$log" "${@:3}" && return
  tail -n 40 "$log" >&2
  die "$1 failed; all that was said is in $log"
}
# made_by_cmake "TARGET..." OPTION...: configures $build, unless it is, and builds in it.
made_by_cmake() {
  local targets log=$build/build.log
  read -ra targets <<<"$1"
  mkdir -p "$build"
  [[ -f $build/build.ninja ]] || step configuring none cmake -S "$root" -B "$build" -G Ninja "${@:2}"
  step compiling ninja cmake --build "$build" --target "${targets[@]}"
}
