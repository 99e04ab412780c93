# What the commands in bin/ share: where the project is, whether it can be built there, help and refusals, how long
# one took. Sourced before anything else.

[[ $0 == /* ]] && script=$0 || script=$PWD/$0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# phpize, libtool and make split words and expand signs; their own errors would name neither.
unfit=$'[][:space:]["\'`$\\&;|<>(){}*?#!%:=[]'
if [[ $root =~ $unfit ]]; then
  printf '%s: this checkout is in a folder whose path has "%s" in it, with which phpize and make cannot build;\n' \
    "bin/${0##*/}" "${BASH_REMATCH[0]}" >&2
  printf 'move it to a path of letters, digits and signs such as . _ - : %s\n' "$root" >&2
  exit 2
fi

# A compiler's cache, where there is one; CMake takes it from here.
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi

# The comment that a command opens with.
show_help() {
  sed -n '2,${/^#/!q;s/^# \{0,1\}//p;}' "$script"
  exit 0
}
# A command that cannot do what it is asked to ends with 2; those that find something amiss, with 1.
die() {
  echo "${script#"$root/"}: $*" >&2
  exit 2
}

# "1 min 05 s"
duration() {
  if (($1 < 60)); then echo "$1 s"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# The clock tick at which a process started: with its number it names one process for good. Nothing
# when there is none.
started_at() {
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  # Behind the name, which may hold anything.
  read -ra stat <<<"${stat##*) }"
  echo "${stat[19]}"
}
