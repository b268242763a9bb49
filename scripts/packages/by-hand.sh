# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# The installation without a package in a booted Debian 12, by the commands of deploy/README.md as they stand there. Sourced
# by scripts/prove-packages, never run.

# by_hand NAME: runs what is in /src/commands from the top of the repository.
by_hand() {
  booted byhand bash -euo pipefail -c 'cd /src && . ./commands' >"$folder/$1" 2>&1 || {
    cat "$folder/$1" >&2
    die "$1: the commands of deploy/README.md failed"
  }
}

prove_by_hand() {
  say "by hand, by the commands of deploy/README.md"
  mkdir -p "$folder/byhand/src/.build/release"
  tar -xf "$(image bookworm "$depends")" -C "$folder/byhand"
  cp -r "$here/deploy" "$folder/byhand/src/"
  cp "$built/quartz-agent" "$folder/byhand/src/.build/release/"
  sed -i -e "s|https://example.com/|$web|" -e 's|interval: 60s|interval: 1s|' -e '/expect:/d' -e '/certificate:/d' "$folder/byhand/src/deploy/agent.yaml"
  boot byhand
  # The first command builds; CI gives it where a toolchain is.
  block "$readme" "systemd, by hand" | grep -vxF './scripts/run --help' >"$folder/byhand/src/commands"
  by_hand install-by-hand
  is "by hand" "$(booted byhand systemctl is-enabled quartz-agent) $(booted byhand systemctl is-active quartz-agent)" "enabled active"
  block "$readme" Ping >"$folder/byhand/src/commands"
  by_hand ping-by-hand
  is "ping, for the group alone" "$(booted byhand cat /proc/sys/net/ipv4/ping_group_range | tr '\t' ' ')" \
    "$(booted byhand id -g quartz-agent) $(booted byhand id -g quartz-agent)"
  ok "systemd-analyze security: $(booted byhand systemd-analyze security --offline=true /src/deploy/systemd/quartz-agent.service | tail -n 1 | tr -s ' ')"
  sed -i 's/interval: 1s/intervall: 1s/' "$folder/byhand/etc/quartz-agent/agent.yaml"
  ! booted byhand systemctl reload quartz-agent >/dev/null 2>&1 || die "systemctl reload took a file that is refused"
  is "behind a failed reload" "$(booted byhand systemctl is-active quartz-agent)" active
  halt byhand
}
