# Completes the arguments of redlock in bash.

_redlock() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]-} common='--servers --timeout --connect-timeout --help' i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W 'run inspect release check top --help --version' -- "$current")
    return
  fi
  # Behind -- stands a command with arguments of its own.
  if [[ $command == run ]]; then
    for ((i = 2; i < COMP_CWORD; i++)); do
      [[ ${COMP_WORDS[i]} == -- ]] || continue
      if declare -F _command_offset >/dev/null; then
        _command_offset $((i + 1))
      elif ((i + 1 == COMP_CWORD)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      return
    done
  fi
  case $previous in
    -s | --servers)
      [[ $current != @* ]] || mapfile -t COMPREPLY < <(compgen -P @ -f -- "${current#@}")
      return
      ;;
    -w | --wait)
      mapfile -t COMPREPLY < <(compgen -W '0 10s 1m forever' -- "$current")
      return
      ;;
    --timeout | --connect-timeout | -t | --ttl | -g | --grace | -E | --conflict-exit-code | -o | --owner | --prefix | --longest-ttl | --replicas | -i | --interval)
      return
      ;;
  esac
  case $command in
    run) common+=' --wait --ttl --grace --conflict-exit-code --owner --fence --shared --permits --guard --longest-ttl --replicas --no-line --quiet --' ;;
    inspect) common+=' --json' ;;
    release) common+=' --force' ;;
    check) common+=' --json --prefix --longest-ttl' ;;
    top) common+=' --interval --once' ;;
  esac
  [[ $current != -* ]] || mapfile -t COMPREPLY < <(compgen -W "$common" -- "$current")
}
complete -F _redlock redlock
