# Installs a bridge with the real code of its framework, as a program that uses it would. Sourced behind progress.sh.

bridges=(symfony laravel php-lock)

# Makes the package symfony/semaphore in the folder PROJECT/packages out of symfony/symfony, which has all components, and lets
# REDLOCK_PACKAGES name it: some mirrors of the registry lack components that few ask for.
make_semaphore_package() {
  local project=$1 whole=$1/symfony package=$1/packages/semaphore
  rm -rf "$whole" "$package"
  mkdir -p "$project/packages"
  COMPOSER_ALLOW_SUPERUSER=1 composer create-project symfony/symfony "$whole" --no-install --no-scripts \
    --no-interaction --no-progress --no-ansi >>"$project/log" 2>&1 || return 1
  mv "$whole/src/Symfony/Component/Semaphore" "$package"
  php -r '
    preg_match("/ VERSION = .([0-9.]+)/", file_get_contents("$argv[1]/src/Symfony/Component/HttpKernel/Kernel.php"), $found);
    $made = ["version" => $found[1]] + json_decode(file_get_contents($argv[2]), true);
    file_put_contents($argv[2], json_encode($made));
  ' "$whole" "$package/composer.json" || return 1
  rm -rf "$whole"
  REDLOCK_PACKAGES=$project/packages
}

# install_bridge BRIDGE PROJECT EXTENSION: makes a project in the folder PROJECT that requires the bridge of this tree,
# and what its tests require. What was fetched before is fetched again only where the requirements changed.
# Where that fails, sets hindrance to the reason; empty where the reason is not the registry's. The log is PROJECT/log.
install_bridge() {
  local -x REDLOCK_PACKAGES=${REDLOCK_PACKAGES-}
  # Made by an earlier run.
  [[ -n $REDLOCK_PACKAGES || ! -d $2/packages ]] || REDLOCK_PACKAGES=$2/packages
  fetch_bridge "$@" || {
    [[ -z $REDLOCK_PACKAGES && $hindrance == *symfony/semaphore ]] && make_semaphore_package "$2" && fetch_bridge "$@"
  }
}
fetch_bridge() {
  local bridge=$1 project=$2 extension=$3 wanted status=0
  hindrance=
  mkdir -p "$project"
  php "$root/bridges/project.php" "$bridge" >"$project/composer.json"
  wanted=$(cat "$project/composer.json" "$root/bridges/$bridge/composer.json" | sha1sum)
  [[ ! -f $project/vendor/autoload.php || $(cat "$project/installed" 2>/dev/null) != "$wanted" ]] || return 0
  rm -f "$project/installed" "$project/composer.lock"
  # With the extension, so that what a package says about it is judged.
  COMPOSER_ALLOW_SUPERUSER=1 watched "fetching what bridges/$bridge requires" lines "$project/log" \
    php -d extension="$extension" "$(command -v composer)" update --working-dir="$project" \
    --no-interaction --no-progress --no-ansi --no-audit --prefer-dist || status=$?
  if ((status == 0)); then
    echo "$wanted" >"$project/installed"
  elif grep -qE 'could not be (fully loaded|downloaded)|curl error|resolve host|network' "$project/log"; then
    hindrance='the package registry cannot be reached'
  elif grep -q 'could not be found in any version' "$project/log"; then
    hindrance="the package registry lacks $(sed -n '/could not be found/s/.* requires* \([^ ,]*\).*/\1/p' "$project/log" |
      head -n 1)"
  fi
  return "$status"
}
