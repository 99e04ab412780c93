# What the commands in bin/ share: where the project is, whether it can be built there, how long one took.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# phpize, libtool and make split words and expand signs; their own errors would name neither.
unfit=$'[][:space:]["\'`$\\&;|<>(){}*?#!%:=[]'
if [[ $root =~ $unfit ]]; then
  printf '%s: this checkout is in a folder whose path has "%s" in it, with which phpize and make cannot build;\n' \
    "bin/${0##*/}" "${BASH_REMATCH[0]}" >&2
  printf 'move it to a path of letters, digits and signs such as . _ - : %s\n' "$root" >&2
  exit 2
fi

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
