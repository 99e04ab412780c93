# Installs a bridge with the real code of its framework, as a program that uses it would. Sourced behind progress.sh.

bridges=(symfony laravel php-lock)

# install_bridge BRIDGE PROJECT EXTENSION: makes a project in the folder PROJECT that requires the bridge of this tree,
# and what its tests require. What was fetched before is fetched again only where the requirements changed.
# Where that fails, sets hindrance to the reason; empty where the reason is not the registry's. The log is PROJECT/log.
install_bridge() {
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
    hindrance="the package registry lacks $(grep -oE '[^ ]+( [^ ]+)?( -> |, it )could not be found' "$project/log" |
      head -n 1 | sed 's/,* .*//')"
  fi
  return "$status"
}
