# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# The container's root as an engine would run it: read-only, as 10001, without capabilities, under a filter of system calls,
# in a network of its own with a name server, a web server and a mail server. Sourced by scripts/prove-packages, never run.

# In the network of the container, where ping needs what compose.yaml sets.
make_network() {
  unshare --net sleep infinity &
  network=$!
  helpers+=("$network")
  until [[ $(readlink "/proc/$network/ns/net") != "$(readlink /proc/self/ns/net)" ]]; do sleep 0.05; done
  nsenter --target "$network" --net ip link set lo up
  nsenter --target "$network" --net sysctl -qw net.ipv4.ping_group_range="10001 10001"
  (
    cd "$folder"
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=prove-packages" -keyout ca.key -out ca.crt
    openssl req -newkey rsa:2048 -nodes -subj "/CN=web.box.test" -keyout web.key -out web.csr
    openssl x509 -req -days 2 -in web.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out web.crt \
      -extfile <(echo "subjectAltName=DNS:web.box.test,DNS:hosted.example")
    cat "$root/etc/ssl/certs/ca-certificates.crt" ca.crt >bundle.crt
  ) >"$folder/openssl" 2>&1 || die "the certificates: $(<"$folder/openssl")"
  nsenter --target "$network" --net python3 "$here/scripts/packages/servers.py" "$folder/web.crt" "$folder/web.key" \
    "$folder/mails" >"$folder/servers" 2>&1 &
  helpers+=("$!")
  for _ in {1..100}; do
    grep -qs ready "$folder/servers" && return
    sleep 0.1
  done
  die "the servers of the container's network: $(<"$folder/servers")"
}

box() {
  nsenter --target "$network" --net setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set=-all \
    bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --uid 10001 --gid 10001 --cap-drop ALL --clearenv \
    --die-with-parent --ro-bind "$root" / --proc /proc --dev /dev --tmpfs /tmp \
    --ro-bind "$folder/etc" /etc/quartz-agent --ro-bind "$folder/secrets-of-box" /run/secrets --bind "$folder/state" /var/lib/quartz-agent \
    --ro-bind "$folder/resolv.conf" /etc/resolv.conf --ro-bind "$folder/hosts" /etc/hosts \
    --ro-bind "$folder/bundle.crt" /etc/ssl/certs/ca-certificates.crt \
    --setenv PATH /usr/bin --seccomp 9 -- "$@" 9<"$folder/filter"
}

box_config() {
  cat >"$folder/etc/agent.yaml" <<'YAML'
agent: {name: box}
status: {listen: "0.0.0.0:9797", read_token: "${file:/run/secrets/read_token}"}
checks:
  - {name: Name and authority, type: http, url: "https://web.box.test/", interval: 1s}
  - {name: Hosts file, type: http, url: "https://hosted.example/", interval: 1s}
  - {name: Ping, type: ping, host: web.box.test, interval: 1s}
maintenance:
  - {name: night, start: 2026-01-04T02:00, duration: 2h, repeat: weekly, timezone: Europe/London}
alerts:
  channels:
    - {name: ops, mail: {server: "mail.box.test:25", tls: none, from: agent@box.test, to: ops@box.test}}
YAML
}

prove_container() {
  local agent healthy=1 left
  root=$built/root
  left=$(find "$root" -xdev -type f -perm /111 | sed "s|^$root||" | LC_ALL=C sort | paste -sd' ')
  ok "programs in it: $left"
  is "files with setuid or setgid" "$(find "$root" -xdev -perm /6000 | head -n 1)" ""
  # An engine makes the places of what it mounts before the root is read-only.
  cp -a "$root" "$folder/rootfs"
  root=$folder/rootfs
  mkdir "$root/run/secrets"
  touch "$root/etc/resolv.conf" "$root/etc/hosts"
  install -d -m 0755 "$folder/etc" "$folder/secrets-of-box"
  # By the documented command, with the mode it gives.
  (umask 022 && block "$readme" Container | grep read_token | sed "s|deploy/container|$folder/secrets-of-box|" >"$folder/make-token" && bash -e "$folder/make-token")
  printf 'nameserver 127.0.0.1\n' >"$folder/resolv.conf"
  printf '127.0.0.1 localhost\n127.0.0.1 hosted.example\n' >"$folder/hosts"
  install -d -o 10001 -g 10001 -m 0700 "$folder/state"
  /usr/bin/python3 "$here/scripts/lib/container_filter.py" >"$folder/filter"
  chmod 0644 "$folder/filter"
  chmod 0755 "$folder"
  make_network
  box_config
  box quartz-agent validate -c /etc/quartz-agent/agent.yaml >"$folder/box-validate" 2>&1 || die "validate in the container's root: $(<"$folder/box-validate")"
  ok "time zones, ping and secrets: $(tail -n 1 "$folder/box-validate")"
  (($(grep -c 'BEGIN CERTIFICATE' "$root/etc/ssl/certs/ca-certificates.crt") > 100)) || die "the authorities are missing"
  box quartz-agent run --config /etc/quartz-agent/agent.yaml >"$folder/box.log" 2>&1 &
  agent=$!
  for _ in {1..60}; do
    box quartz-agent status >"$folder/health" 2>"$folder/health.said" && grep -q '^3 checks: 3 up' "$folder/health" && {
      healthy=0
      break
    }
    sleep 0.5
  done
  ((healthy == 0)) || {
    cat "$folder/box.log" "$folder/health" "$folder/health.said" >&2
    die "the checks in the container's root are not up"
  }
  ok "name server, hosts file, authorities and ping: $(grep '^3 checks' "$folder/health")"
  box quartz-agent alert test ops >"$folder/box-mail" 2>&1 || die "mail: $(<"$folder/box-mail")"
  grep -q '^To: .*ops@box.test' "$folder/mails" || die "the mail server got: $(cat "$folder/mails")"
  ok "mail: $(grep -m 1 '^Subject:' "$folder/mails")"
  box quartz-agent mute Ping 1m >"$folder/box-mute" 2>&1 || die "mute beside a page on TCP: $(<"$folder/box-mute")"
  ok "orders go over the socket beside the page"
  kill -TERM "$agent" 2>/dev/null || true
  wait "$agent" || true
  # Beside an application, within what its emptyDir may hold.
  prove_sidecar
  ! box sh -c true 2>/dev/null || die "there is a shell in it"
  ok "no shell in it"
}

# The sidecar's own file, and what its store takes of the disk.
prove_sidecar() {
  local used most agent spool is_up=0
  sed 's|/run/secrets/quartz-agent/|/run/secrets/|' "$here/deploy/kubernetes/sidecar/sidecar.yaml" >"$folder/etc/sidecar.yaml"
  rm -rf "$folder/state"
  install -d -o 10001 -g 10001 -m 0700 "$folder/state"
  box quartz-agent run --config /etc/quartz-agent/sidecar.yaml >"$folder/box.log" 2>&1 &
  agent=$!
  for _ in {1..60}; do
    box quartz-agent status -c /etc/quartz-agent/sidecar.yaml >"$folder/health" 2>&1 && grep -q '^1 checks\?: 1 up' "$folder/health" && {
      is_up=1
      break
    }
    sleep 0.5
  done
  ((is_up)) || {
    cat "$folder/box.log" "$folder/health" >&2
    die "the check of the sidecar is not up"
  }
  used=$(du -sk "$folder/state" | cut -f1)
  kill -TERM "$agent" 2>/dev/null || true
  wait "$agent" || true
  spool=$(sed -n 's/^ *size: \([0-9]*\)MiB$/\1/p' "$here/deploy/kubernetes/sidecar/sidecar.yaml")
  most=$(sed -n 's/.*sizeLimit: \([0-9]*\)Mi}.*/\1/p' "$here/deploy/kubernetes/sidecar/pod.yaml")
  ((spool + 128 <= most)) || die "a spool of $spool MiB and histories do not fit an emptyDir of $most MiB"
  ((used < 4096)) || die "without delivery the store of the sidecar took $used KiB at its start"
  ok "sidecar: $used KiB of the disk without delivery; a spool of $spool MiB at most in an emptyDir of $most MiB"
}
