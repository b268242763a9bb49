# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# A day of an administrator with the Debian package, in a booted Debian 12 with the servers of day/servers.sh: install, 44
# checks, what breaks, reload, upgrade, restore, purge, by the commands of the docs. What they print is docs/evidence/day.md.
# Sourced by scripts/prove-packages, never run.

day_packages=nginx-light,unbound,knot,redis-server,memcached,openssh-server,openssl,python3,python3-aiosmtpd,curl,iproute2,bsdutils
day_page=$here/docs/evidence/day.md

# day COMMAND...: in its machine, without a word in the transcript.
day() { booted day "$@"; }

# part HEADING TEXT: of the transcript.
part() {
  say "$1"
  printf '\n## %s\n\n%s\n' "$1" "$2" >>"$day_page"
}

# type_it COMMAND [CODE [INPUT]]: as an administrator types it, in a terminal of 110 columns; must end with that code, 0 if none
# is given. What it printed is in the transcript and in $folder/printed.
type_it() {
  local code=0
  printf '%s' "${3:-}" >"$folder/typed"
  day env NO_COLOR=1 script -qec "cd /srv; stty cols 110 rows 60 -echo; $1" /dev/null <"$folder/typed" >"$folder/raw" 2>&1 || code=$?
  python3 - "$folder/raw" >"$folder/printed" <<'PY'
import re, sys
text = open(sys.argv[1], encoding="utf-8", errors="replace", newline="").read()
# Progress bars, and what a line was before it was written over.
text = re.sub("\x1b7.*?\x1b8|\x1b\\[[0-9;?]*[A-Za-z]|[\x04\x07]", "", text, flags=re.S)
for line in text.split("\n"):
    line = line.rstrip("\r").split("\r")[-1].rstrip()
    # Of a Debian without apt-utils.
    if not line.startswith("debconf: delaying"):
        print(line)
PY
  {
    printf '\n```console\n$ %s\n' "$1"
    sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$folder/printed"
    ((code == 0)) || printf 'exit %s\n' "$code"
    printf '```\n'
  } >>"$day_page"
  ((code == ${2:-0})) || die "$1 ended with $code, expected ${2:-0}: $(<"$folder/printed")"
}

# printed REGEX...: each is in what the last command printed.
printed() {
  local wanted
  for wanted; do grep -qE -- "$wanted" "$folder/printed" || die "nothing of '$wanted' in: $(<"$folder/printed")"; done
}

# unprinted REGEX...: none of them is.
unprinted() {
  local unwanted
  for unwanted; do ! grep -qE -- "$unwanted" "$folder/printed" || die "'$unwanted' is in: $(<"$folder/printed")"; done
}

# edit SCRIPT: what the editor will have done to agent.yaml; shows what it changed.
edit() {
  cp "$folder/day/etc/quartz-agent/agent.yaml" "$folder/edited"
  sed -i "$1" "$folder/edited"
  cp "$folder/edited" "$folder/day/root/edited"
  type_it "editor /etc/quartz-agent/agent.yaml"
}

# becomes REGEX COMMAND...: waits until it prints that.
becomes() {
  local wanted=$1 tries
  shift
  for tries in {1..200}; do
    day "$@" >"$folder/until" 2>&1 || true
    grep -qE -- "$wanted" "$folder/until" && return
    sleep 0.2
  done
  die "no '$wanted' within $tries tries of $*: $(<"$folder/until")"
}

# Subject and first line of each mail so far, as ops reads them.
mails() {
  day python3 - /var/mail/ops <<'PY' >"$folder/mails-of-day"
import email, email.policy, mailbox, sys
box = mailbox.Maildir(sys.argv[1], factory=lambda file: email.message_from_binary_file(file, policy=email.policy.default))
for message in sorted(box, key=lambda message: message["Date"]):
    lines = message.get_body(("plain",)).get_content().strip().splitlines()
    print(f"Subject: {message['Subject']}\n    {lines[0]}")
PY
  {
    printf '\nThe mails that ops has so far:\n\n```\n'
    cat "$folder/mails-of-day"
    printf '```\n'
  } >>"$day_page"
}

day_install() {
  part Install "The machine has a shop, its API, mail, names and caches: nginx, knot, unbound, redis, memcached, sshd and aiosmtpd."
  type_it "apt install ./$(basename "$deb")"
  printed '^Setting up quartz-agent'
  becomes '^1 check: ' quartz-agent status
  type_it "quartz-agent doctor" 1
  printed 'ok +configuration' 'ok +ping +ICMP echo is allowed' 'ok +state_dir'
  type_it "quartz-agent spool check"
  printed '^sound'
}

day_checks() {
  part "44 checks" "The file is [scripts/packages/day/agent.yaml](../../scripts/packages/day/agent.yaml). Status and alerts are new in it, so the agent is restarted."
  cp "$here/scripts/packages/day/agent.yaml" "$folder/day/root/edited"
  type_it "openssl rand -hex 16 >/etc/quartz-agent/backup_token"
  type_it "openssl rand -hex 16 >/etc/quartz-agent/logrotate_token"
  type_it "install -m 0640 -g quartz-agent /dev/stdin /etc/quartz-agent/orders_token" 0 $'orders-token\n\004'
  type_it "install -m 0640 -g quartz-agent /dev/stdin /etc/quartz-agent/intranet_password" 0 $'intranet-password\n\004'
  type_it "editor /etc/quartz-agent/agent.yaml"
  type_it "quartz-agent validate -c /etc/quartz-agent/agent.yaml && systemctl reload quartz-agent"
  printed 'ok, 44 checks'
  # The folder keeps others out, and the service may ping.
  unprinted 'can be read by' 'ICMP echo'
  type_it "systemctl restart quartz-agent"
  becomes '42 up, 0 degraded, 0 down, 2 unknown$' bash -c 'quartz-agent status | sed -n "2s/ ·.*//p"'
  type_it "quartz-agent status --state unknown"
  printed '^Backup' '^Log rotation'
  type_it "curl -fsS -m 10 --retry 5 http://127.0.0.1:9797/hb/\$(cat /etc/quartz-agent/backup_token)"
  type_it "curl -fsS -m 10 --retry 5 http://127.0.0.1:9797/hb/\$(cat /etc/quartz-agent/logrotate_token)"
  becomes '44 up' quartz-agent status
  type_it "quartz-agent status"
  printed '^44 checks: 44 up, 0 degraded, 0 down, 0 unknown'
  type_it "quartz-agent alert test ops"
  printed '^ops: delivered to ops@corp.example .accepted by mail.corp.example:25'
  type_it "quartz-agent once --tag shop"
  type_it "quartz-agent once --tag cache --format nagios"
  printed '^OK - 2 checks up'
}

day_break() {
  part Failures "redis stops, the shop's database is down, the wiki's ECDSA certificate was not renewed, the website shows a page of maintenance in ISO 8859-1, and the SPF record lets all senders through."
  day bash -c '. /root/break' >"$folder/broken" 2>&1 || die "nothing broke: $(<"$folder/broken")"
  becomes '38 up, 1 degraded, 5 down' quartz-agent status
  becomes ' 1 delivered, 0 pending| [2-9] delivered, 0 pending' quartz-agent status
  type_it "quartz-agent status --state down"
  printed 'Sessions +✕ DOWN' 'Shop health .*\$\.database is "down", expected "up"' 'the ECDSA certificate' 'Wartung' 'SPF'
  type_it "quartz-agent incidents"
  mails
  type_it "quartz-agent once --explain 'Shop health'" 2
  printed 'Content-Type: application/json'
  type_it "quartz-agent once --tag cache --format nagios" 2
  printed '^CRITICAL'
  type_it "quartz-agent alert explain Sessions"
  type_it "journalctl -u quartz-agent -p err -n 5 --no-pager -o cat"
  type_it "quartz-agent ack $(day quartz-agent incidents | awk '$2 == "high" || $2 == "critical" { print $1; exit }') --why 'looking at it'"
  type_it "quartz-agent incidents"
  printed acknowledged
  type_it "quartz-agent mute tag:cache 10m --why 'redis is upgraded'"
  day bash -c '. /root/mend' >"$folder/mended" 2>&1 || die "nothing was mended: $(<"$folder/mended")"
  becomes '44 up' quartz-agent status
  type_it "quartz-agent unmute tag:cache"
  becomes 'no incident' quartz-agent incidents
  type_it "quartz-agent incidents --all"
  becomes ' 0 pending' quartz-agent status
  mails
}

day_reload() {
  part Reload "A mistake, a check with another name, one that goes and one that comes."
  cp "$folder/day/etc/quartz-agent/agent.yaml" "$folder/good"
  edit 's/interval: 5s/intervall: 5s/'
  type_it "quartz-agent validate -c /etc/quartz-agent/agent.yaml && systemctl reload quartz-agent" 78
  printed 'did you mean "interval"'
  type_it "systemctl reload quartz-agent" 1
  type_it "quartz-agent status --tag cache"
  printed 'Sessions +● UP' 'a running agent keeps the last valid one'
  cp "$folder/good" "$folder/day/etc/quartz-agent/agent.yaml"
  edit 's/{name: Sessions, /{name: Session store, was: Sessions, /; /{name: Login, /d; s/^  - {name: Zone, /  - {name: Zone transfers, type: tcp, host: ns.corp.example, port: 5300}\n&/'
  type_it "quartz-agent validate -c /etc/quartz-agent/agent.yaml && systemctl reload quartz-agent"
  becomes 'renamed="Sessions -> Session store"' journalctl -u quartz-agent -n 3 --no-pager -o cat
  type_it "journalctl -u quartz-agent -n 1 --no-pager -o cat"
  printed 'added="Zone transfers"' 'removed=Login'
  type_it "quartz-agent status --tag cache"
  printed 'Session store +● UP'
}

day_upgrade() {
  local first
  part Upgrade "The next version: configuration, store and history are kept."
  dpkg-deb -R "$deb" "$folder/next-of-day"
  sed -i 's/^Version: .*/Version: 0.1.1-1/' "$folder/next-of-day/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip -b "$folder/next-of-day" "$folder/day/srv/quartz-agent_0.1.1-1_$(dpkg --print-architecture).deb" >/dev/null
  first=$(day bash -c 'quartz-agent spool export | head -n 1')
  type_it "quartz-agent spool ls"
  type_it "apt install ./quartz-agent_0.1.1-1_$(dpkg --print-architecture).deb"
  becomes '44 up' quartz-agent status
  type_it "quartz-agent status --tag cache"
  [[ $(day bash -c 'quartz-agent spool export | head -n 1') == "$first" ]] || die "the store is another one behind the upgrade"
  type_it "quartz-agent spool check"
  printed '^sound'
}

# As docs/operations.md has it.
day_restore() {
  local before
  part Restore "A backup of the state directory is a backup of the agent. Then the disk is lost."
  type_it "$(block "$here/docs/operations.md" "Backup and restore" 1 | paste -sd'&' | sed 's/&/ \&\& /g')"
  becomes '44 up' quartz-agent status
  before=$(day quartz-agent incidents --all | tail -n +2 | wc -l)
  type_it "systemctl stop quartz-agent && rm -r /var/lib/quartz-agent"
  type_it "quartz-agent status" 3
  type_it "$(block "$here/docs/operations.md" "Backup and restore" 2 | paste -sd'&' | sed 's/&/ \&\& /g')"
  becomes '44 up' quartz-agent status
  type_it "quartz-agent status --tag cache"
  type_it "quartz-agent incidents --all"
  (($(day quartz-agent incidents --all | tail -n +2 | wc -l) == before)) || die "the restored agent has other incidents"
  type_it "quartz-agent spool check"
  printed '^sound'
}

day_purge() {
  part Purge "Remove keeps configuration and store; purge leaves the files that the administrator made."
  type_it "apt remove quartz-agent" 0 $'y\n'
  type_it "ls /etc/quartz-agent /var/lib/quartz-agent"
  printed agent.yaml spool
  type_it "apt purge quartz-agent" 0 $'y\n'
  type_it "ls /etc/quartz-agent /var/lib/quartz-agent" 2
  printed backup_token "cannot access '/var/lib/quartz-agent'"
  type_it "systemctl list-units --all --no-legend 'quartz-agent*'"
}

# The script behind `editor`, and what breaks and mends.
day_machine() {
  echo corp-1 >"$folder/day/etc/hostname"
  cp "$deb" "$folder/day/srv/"
  cp "$here"/scripts/packages/day/{servers.sh,break,mend} "$folder/day/root/"
  cat >"$folder/day/usr/local/bin/editor" <<'SCRIPT'
#!/bin/sh
diff -U0 "$1" /root/edited >/root/changes
cat /root/edited >"$1"
# What a file of 44 checks changes is too long for a transcript.
[ "$(grep -c '^[-+]' /root/changes)" -gt 20 ] || grep '^[-+][^-+]' /root/changes
true
SCRIPT
  chmod 0755 "$folder/day/usr/local/bin/editor"
}

prove_day() {
  mkdir "$folder/day"
  make_image bookworm "$depends,systemd,$day_packages"
  tar -xf "$(image bookworm "$depends,systemd,$day_packages")" -C "$folder/day"
  day_machine
  boot day
  day bash /root/servers.sh >"$folder/servers-of-day" 2>&1 || die "the servers of the day: $(<"$folder/servers-of-day")"
  cat >"$day_page" <<PAGE
# A day with the package

\`./scripts/prove-packages --day\` on $(date -u +%F): a Debian 12 that has booted, the package, and each command as
[deploy/README.md](../../deploy/README.md), [operations.md](../operations.md) and [alerts.md](../alerts.md) have it, in a terminal of 110 columns. The script waits
where a person would, compares what is printed, and stops at the first difference.
PAGE
  day_install
  day_checks
  day_break
  day_reload
  day_upgrade
  day_restore
  day_purge
  halt day
  ok "the day: $(grep -c '^\$ ' "$day_page") commands in docs/evidence/day.md"
}
