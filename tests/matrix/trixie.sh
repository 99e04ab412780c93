# A Debian 13 in a folder, and how to run commands in it; for bin/matrix.

trixie=$build/trixie

# Everything that touches the folder as a system runs in mount and process namespaces of its own:
# however that ends, the kernel takes the mounts away and kills what is left running.
apart() {
  setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child=KILL "$@"
}

need_namespaces() {
  ((EUID == 0)) || die 'rows in trixie need root, for chroot; run it as root or name other rows'
  apart true 2>/dev/null || die 'rows in trixie need mount and process namespaces, which are forbidden here'
}

# Removes a folder unless something is mounted below it, which would go too.
discard() {
  if grep -qF " $1/" /proc/self/mountinfo; then
    die "something is mounted below $1; unmount it first"
  fi
  rm -rf --one-file-system "$1"
}

# in_trixie COMMAND...: runs it in there, as process 1 of its own world with its own /proc and /tmp.
in_trixie() {
  cp -L /etc/resolv.conf /etc/hosts "$trixie/etc/"
  # shellcheck disable=SC2016
  apart bash -c 'mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/tmp" &&
    exec chroot "$@"' bash "$trixie" "$@"
}

# The base of the first repository with this label in apt's own configuration.
mirror_of() {
  apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n "s/^$1|//p" | head -n 1
}

# Packages as on this machine: the same mirrors, the same ways to reach them.
write_apt_configuration() {
  local etc=$1/etc/apt security=$3
  local signed='Components: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n'
  rm -f "$etc/sources.list"
  {
    printf "Types: deb deb-src\nURIs: %s\nSuites: trixie trixie-updates\n$signed" "$2"
    [[ -z $security ]] ||
      printf "\nTypes: deb deb-src\nURIs: %s\nSuites: trixie-security\n$signed" "$security"
  } >"$etc/sources.list.d/debian.sources"
  {
    apt-config dump | grep -E '^Acquire::(https?::|Check-)' || true
    printf '%s "%s";\n' Acquire::Languages none APT::Install-Recommends false \
      Dpkg::Options:: --force-unsafe-io
  } >"$etc/apt.conf.d/90matrix"
  # No service starts in there.
  printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
  chmod 755 "$1/usr/sbin/policy-rc.d"
}

# Makes the folder unless an earlier run did; half a folder never has the final name.
make_trixie() {
  local mirror begun=$SECONDS new=$trixie.new
  [[ ! -d $trixie ]] || return 0
  mirror=$(mirror_of Debian)
  [[ -n $mirror ]] || die 'no Debian mirror in the configuration of apt (or no lists: apt-get update)'
  discard "$new"
  echo 'matrix: making a Debian 13 (once)'
  followed trixie "$logs/debootstrap.log" apart debootstrap --variant=minbase \
    --include=ca-certificates --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    trixie "$new" "$mirror"
  if ! [[ -x $new/usr/bin/apt-get && ! -d $new/debootstrap ]]; then
    tail -n 5 "$logs/debootstrap.log" >&2
    die "debootstrap failed: $logs/debootstrap.log"
  fi
  write_apt_configuration "$new" "$mirror" "$(mirror_of Debian-Security)"
  mv "$new" "$trixie"
  echo "matrix: made $trixie in $((SECONDS - begun)) s"
}
