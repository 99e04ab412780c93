# Debians in folders, and how to run commands in them; for bin/matrix.
#
# trixie is Debian 13. experimental is Debian unstable with a newer PHP and Redis from the experimental suite,
# which has only what is tried out and cannot be installed by itself.

experimental_php=php8.6
declare -A suite=([trixie]=trixie [experimental]=sid)

# Everything that touches the folder as a system runs in mount and process namespaces of its own:
# however that ends, the kernel takes the mounts away and kills what is left running.
apart() {
  setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child=KILL "$@"
}

need_namespaces() {
  ((EUID == 0)) || die "rows in $1 need root, for chroot; run it as root or name other rows"
  apart true 2>/dev/null || die "rows in $1 need mount and process namespaces, which are forbidden here"
}

# Removes a folder unless something is mounted below it, which would go too.
discard() {
  if grep -qF " $1/" /proc/self/mountinfo; then
    die "something is mounted below $1; unmount it first"
  fi
  rm -rf --one-file-system "$1"
}

# in_debian FOLDER COMMAND...: runs it in there, as process 1 of its own world with its own /proc and /tmp.
in_debian() {
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  # shellcheck disable=SC2016
  apart bash -c 'mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/tmp" &&
    exec chroot "$@"' bash "$@"
}

# The base of the first repository with this label in apt's own configuration.
mirror_of() {
  apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n "s/^$1|//p" | head -n 1
}

# source_of MIRROR SUITE...: what apt is to read there.
source_of() {
  printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' "$1" "${*:2}"
  printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n'
}

# write_sources PLACE MIRROR SECURITY: packages from the same mirrors as on this machine.
write_sources() {
  case $1 in
    trixie)
      source_of "$2" trixie trixie-updates
      [[ -z $3 ]] || source_of "$3" trixie-security
      ;;
    experimental) source_of "$2" sid experimental ;;
  esac
}

# Which packages are wanted from the experimental suite; without this apt takes none.
write_preferences() {
  printf '%s\n' "Package: $experimental_php* redis-server redis-tools" 'Pin: release a=experimental' 'Pin-Priority: 990'
}

# write_apt_configuration PLACE FOLDER MIRROR: also the same ways to reach them.
write_apt_configuration() {
  local etc=$2/etc/apt
  rm -f "$etc/sources.list"
  write_sources "$1" "$3" "$(mirror_of Debian-Security)" >"$etc/sources.list.d/debian.sources"
  [[ $1 != experimental ]] || write_preferences >"$etc/preferences.d/experimental"
  {
    apt-config dump | grep -E '^Acquire::(https?::|Check-)' || true
    printf '%s "%s";\n' Acquire::Languages none APT::Install-Recommends false \
      Dpkg::Options:: --force-unsafe-io
  } >"$etc/apt.conf.d/90matrix"
  # No service starts in there.
  printf '#!/bin/sh\nexit 101\n' >"$2/usr/sbin/policy-rc.d"
  chmod 755 "$2/usr/sbin/policy-rc.d"
}

# bin/setup keeps a PHP that it finds; by itself it would install the one that is Debian's default.
install_experimental_php() {
  followed experimental "$logs/experimental-php.log" in_debian "$1" \
    env DEBIAN_FRONTEND=noninteractive bash -c "apt-get -q update && apt-get -qy install $experimental_php-cli"
  if ! [[ -x $1/usr/bin/$experimental_php ]]; then
    tail -n 5 "$logs/experimental-php.log" >&2
    die "$experimental_php could not be installed: $logs/experimental-php.log"
  fi
}

# make_debian PLACE: makes its folder unless an earlier run did; half a folder never has the final name.
make_debian() {
  local where=$1 mirror begun=$SECONDS new=$build/$1.new
  [[ ! -d $build/$where ]] || return 0
  mirror=$(mirror_of Debian)
  [[ -n $mirror ]] || die 'no Debian mirror in the configuration of apt (or no lists: apt-get update)'
  discard "$new"
  echo "matrix: making a Debian of the suite ${suite[$where]} (once)"
  followed "$where" "$logs/debootstrap.log" apart debootstrap --variant=minbase \
    --include=ca-certificates --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    "${suite[$where]}" "$new" "$mirror"
  if ! [[ -x $new/usr/bin/apt-get && ! -d $new/debootstrap ]]; then
    tail -n 5 "$logs/debootstrap.log" >&2
    die "debootstrap failed: $logs/debootstrap.log"
  fi
  write_apt_configuration "$where" "$new" "$mirror"
  [[ $where != experimental ]] || install_experimental_php "$new"
  mv "$new" "$build/$where"
  echo "matrix: made $build/$where in $((SECONDS - begun)) s"
}
