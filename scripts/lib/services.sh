# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Debian starts a server when its package is installed. Tests start their own, so nothing may be left listening.
# Sourced after common.sh, never run.

policy=/usr/sbin/policy-rc.d

# Installs packages as install_packages does, with Debian's own switch against starting services held down.
install_packages_quietly() {
  local name rest fresh=() guarded=0
  while read -r name rest; do
    [[ -z $name ]] || is_installed "$name" || fresh+=("$name")
  done <<<"$1"
  ((${#fresh[@]})) || return 0
  if [[ ! -e $policy ]] && command -v apt-get >/dev/null; then
    say "services stay off while the packages are installed ($policy, removed afterwards)"
    guarded=1
    trap 'as_root rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  install_packages "$1"
  if ((guarded)); then
    as_root rm -f "$policy"
    trap - EXIT
  fi
  disable_services "${fresh[@]}"
}

# With systemd a new service would start at the next boot. Only what was installed just now is switched off.
disable_services() {
  [[ -d /run/systemd/system ]] || return 0
  local name unit
  for name in "$@"; do
    for unit in $(dpkg-query -L "$name" 2>/dev/null | sed -n 's|.*/systemd/system/\([^/@]*\.service\)$|\1|p'); do
      as_root systemctl disable --quiet "$unit" 2>/dev/null || say "could not disable $unit; it may start at boot"
    done
  done
}
