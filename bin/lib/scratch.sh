# Temporary folders that say whose they are, so that a run can remove what a killed one left. Sourced
# behind start.sh.
#
# redlock-PID-START-SPACE-RANDOM: the process, the clock tick at which it started, and the space in
# which its number counts (containers may share /tmp). The PHP and C++ tests name theirs likewise.

pid_space() {
  local space
  space=$(readlink /proc/self/ns/pid) || space=0
  echo "${space//[^0-9]/}"
}

# Makes one for this script; who calls it removes it at the end.
scratch_folder() {
  mktemp -d "${TMPDIR:-/tmp}/redlock-$$-$(started_at $$)-$(pid_space)-XXXXXX"
}

# Ends the servers that a killed run left: a process whose number stands in the folder, that is a
# server by its command, and is at home in that very folder.
end_servers_of() {
  local file pid
  for file in "$1"/pid "$1"/*/pid; do
    { read -r pid <"$file"; } 2>/dev/null || continue
    [[ $pid =~ ^[1-9][0-9]*$ ]] || continue
    [[ $(readlink "/proc/$pid/cwd" 2>/dev/null) == "${file%/pid}" ]] || continue
    [[ $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null) == *"-server "* ]] || continue
    kill -KILL "$pid" 2>/dev/null || true
  done
}

# Removes the folders of processes that are gone; those of living ones, of other users and of other
# PID spaces are not touched.
sweep_scratch() {
  local folder space
  space=$(pid_space)
  for folder in "${TMPDIR:-/tmp}"/redlock-*; do
    [[ ${folder##*/} =~ ^redlock-([1-9][0-9]*)-([0-9]+)-([0-9]+)-[[:alnum:]]+$ ]] || continue
    [[ -d $folder && ! -L $folder && -O $folder && ${BASH_REMATCH[3]} == "$space" ]] || continue
    [[ $(started_at "${BASH_REMATCH[1]}") != "${BASH_REMATCH[2]}" ]] || continue
    end_servers_of "$folder"
    rm -rf --one-file-system "$folder" || true
  done
}
