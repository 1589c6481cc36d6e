#!/usr/bin/env bash
# Opens and closes the shop.
set -euo pipefail

source ./lib/base.sh
. "${SHOP_DIR}/colors.sh"

readonly MAX_LINES=100
declare -r LIMIT=5
declare -a LINES=(1 2)
declare -A PRICES
typeset -i count=1
export SHOP_HOME="${HOME}/shop" SHOP_LANG=en
NAME=shop
today=$(date +%F)

alias ll='ls -l' la="ls -a"
alias shop=open_shop

# Opens the shop.
# Takes a path.
open_shop() {
  local path="$1"
  STATE=open
  echo "${path}"
}

function close_shop {
  STATE=closed
}

function shop::total() {
  local sum=0
  for line in "${LINES[@]}"; do
    ((sum += line))
  done
  printf '%s\n' "$sum"
}

in_subshell() (
  cd "$1"
)

dash-name() { :; }

if [[ -n "${DEBUG:-}" ]]; then
  log() { echo "$@" >&2; }
else
  log() { :; }
fi

cat <<EOF
not_a_function() { :; }
EOF

main() {
  helper() { echo inner; }
  open_shop "$@"
  helper
}

main "$@"
