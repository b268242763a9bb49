# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# The Debian package in a booted Debian 12, by the commands of deploy/README.md as they stand there. Sourced by
# scripts/prove-packages, never run.

readme=$here/deploy/README.md
# In the network of each booted system.
web=http://127.0.0.1:8080/

# as_written NAME HEADING [NUMBER]: those commands, each of which must succeed.
as_written() {
  local name=$1
  shift
  block "$readme" "$@" >"$folder/bookworm/root/commands"
  booted bookworm bash -euo pipefail -c 'cd && . /root/commands' >"$folder/$name" 2>&1 || {
    cat "$folder/$name" >&2
    die "$name: the commands of deploy/README.md below $1 failed"
  }
}

# Whoever edits puts a check of this machine's web server into the file. `systemctl edit` gets the lines below the
# commands.
write_editor() {
  # shellcheck disable=SC2016
  sed -n '/^### Secrets/,/^### /{/^```ini/,/^```/{/^```/d;p}}' "$readme" >"$folder/bookworm/root/drop-in"
  cat >"$folder/bookworm/usr/local/bin/editor" <<SCRIPT
#!/bin/sh
case \$1 in
  *override.conf*) cat /root/drop-in >"\$1" ;;
  *) sed -i -e 's|https://example.com/|$web|' -e 's|interval: 60s|interval: 1s|' -e '/expect:/d' -e '/certificate:/d' "\$1" ;;
esac
SCRIPT
  chmod 0755 "$folder/bookworm/usr/local/bin/editor"
  ln -sf /usr/local/bin/editor "$folder/bookworm/usr/bin/editor"
}

# until_true WHAT SUITE COMMAND...
until_true() {
  local what=$1 tries
  shift
  for tries in {1..100}; do
    booted "$@" >"$folder/until" 2>&1 && return
    sleep 0.2
  done
  cat "$folder/until" >&2
  die "$what did not happen within $tries tries"
}

# Priorities as journald has them, and no line with a time of its own.
check_journal() {
  booted bookworm journalctl -u quartz-agent -o json --no-pager >"$folder/journal"
  python3 - "$folder/journal" <<'PY'
import json, re, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
own = [line for line in lines if line.get("SYSLOG_IDENTIFIER") == "quartz-agent"]
assert own, "the journal has nothing of the agent"
stamped = [line["MESSAGE"] for line in own if re.match(r"\d{4}-\d\d-\d\dT", line["MESSAGE"]) or line["MESSAGE"].startswith("<")]
assert not stamped, f"a time or a priority in the text: {stamped[:3]}"
found = {}
for line in own:
    word = line["MESSAGE"].split(" ")[0]
    if word in ("NOTICE", "WARNING", "ERROR", "INFO"):
        found.setdefault(word, set()).add(line["PRIORITY"])
expected = {"NOTICE": {"5"}, "WARNING": {"4"}, "ERROR": {"3"}, "INFO": {"6"}}
assert "NOTICE" in found and all(expected[word] == seen for word, seen in found.items()), found
print(f"ok   the journal: {len(own)} lines, one time each, priorities {({w: min(s) for w, s in sorted(found.items())})}")
PY
}

# What root asks of a package that runs says so with exit 0. What the machine around it lacks is no fault of it.
check_as_root() {
  local command code
  for command in "status" "spool ls" "spool check" "incidents" "mute Example 1m" "unmute Example"; do
    # shellcheck disable=SC2086
    booted bookworm quartz-agent $command >"$folder/asked" 2>&1 || die "quartz-agent $command as root: $(<"$folder/asked")"
  done
  ok "as root: status, spool ls, spool check, incidents, mute, unmute"
  code=0
  booted bookworm quartz-agent doctor --format json >"$folder/doctor" || code=$?
  python3 - "$folder/doctor" "$code" <<'PY'
import json, sys
findings = json.load(open(sys.argv[1]))
# A sandbox may have no clock service, resolver or route out. All else is well, and the exit code is that of the worst.
outside = {"clock": {"warning"}, "resolver": {"warning", "trouble"}, "IPv4": {"warning", "trouble"}, "IPv6": {"warning", "trouble"}}
wrong = [f for f in findings if f["verdict"] != "ok" and f["verdict"] not in outside.get(f["area"], set())]
assert not wrong, wrong
worst = max(["ok", "warning", "trouble"].index(f["verdict"]) for f in findings)
assert sys.argv[2] == str(worst), f"exit {sys.argv[2]}, but the worst finding is {worst}"
known = [f for f in findings if f["area"] in ("configuration", "authorities", "descriptors", "stack", "ping", "state_dir", "space")]
assert len(known) == 7 and all(f["verdict"] == "ok" for f in known), known
state = next(f for f in findings if f["area"] == "state_dir")
beside = [f["area"] for f in findings if f["verdict"] != "ok"]
print(f"ok   doctor as root: {state['text']}; of {len(findings)} findings only what this sandbox lacks is not ok: {', '.join(beside) or 'nothing'}")
PY
}

check_reload() {
  local yaml=$folder/bookworm/etc/quartz-agent/agent.yaml code=0
  cp "$yaml" "$folder/good"
  sed -i 's/interval: 1s/intervall: 1s/' "$yaml"
  booted bookworm systemctl reload quartz-agent >"$folder/reload" 2>&1 || code=$?
  ((code)) || die "systemctl reload took a file that is refused"
  booted bookworm journalctl -u quartz-agent --no-pager | grep -q 'unknown key "intervall"' || die "the journal does not say why the reload failed"
  is "the agent behind a failed reload" "$(booted bookworm systemctl is-active quartz-agent)" active
  cat "$folder/good" >"$yaml"
  booted bookworm systemctl reload quartz-agent || die "systemctl reload failed with a file that is right"
  ok "systemctl reload fails with a file that is refused, and takes one that is right"
}

check_secrets() {
  block "$readme" Secrets | sed 's/ *#.*//' >"$folder/bookworm/root/commands"
  # Typed, with Ctrl-D at the end, in a terminal, without which `systemctl edit` does nothing.
  printf 'canary-0123456789abcdef\n\004' >"$folder/key"
  booted bookworm env EDITOR=/usr/local/bin/editor script -qec 'bash -euo pipefail /root/commands' /dev/null <"$folder/key" >"$folder/secrets" 2>&1 \
    || die "the commands below Secrets failed: $(<"$folder/secrets")"
  cat >>"$folder/bookworm/etc/quartz-agent/agent.yaml" <<YAML
quartz: {url: "$web", api_key: "\${cred:quartz_api_key}"}
YAML
  booted bookworm systemctl restart quartz-agent || die "the unit does not start with its credential: $(booted bookworm journalctl -u quartz-agent -n 10 --no-pager)"
  booted bookworm bash -c 'quartz-agent validate -c /etc/quartz-agent/agent.yaml && systemctl reload quartz-agent' >"$folder/validate" 2>&1 \
    || die "validate && systemctl reload: $(<"$folder/validate") $(booted bookworm journalctl -u quartz-agent -n 10 --no-pager)"
  grep -q '^note: .*the credential "quartz_api_key"' "$folder/validate" || die "validate says nothing of the credential: $(<"$folder/validate")"
  is "with a credential the unit is" "$(booted bookworm systemctl is-active quartz-agent)" active
  ! grep -rq canary "$folder/validate" || die "the key is in what validate says"
}

prove_debian() {
  local first left
  # As apt finds it in the folder where somebody fetched it to.
  cp "$deb" "$folder/bookworm/root/"
  write_editor
  files >"$folder/before"
  say "install, by the commands of deploy/README.md"
  boot bookworm
  as_written install "Debian package"
  is "user" "$(booted bookworm getent passwd quartz-agent | cut -d: -f6-)" "/var/lib/quartz-agent:/usr/sbin/nologin"
  is "configuration" "$(booted bookworm stat -c '%U:%G %a' /etc/quartz-agent /etc/quartz-agent/agent.yaml | paste -sd' ')" \
    "root:quartz-agent 2750 root:quartz-agent 640"
  is "the service" "$(booted bookworm systemctl is-enabled quartz-agent) $(booted bookworm systemctl is-active quartz-agent)" "enabled active"
  until_true "a first result" bookworm bash -c 'quartz-agent status | grep -q UP'
  check_as_root
  check_journal
  check_reload

  say "a second agent"
  as_written second "Debian package" 2
  until_true "a result of the second agent" bookworm bash -c 'quartz-agent status -c /etc/quartz-agent/dmz.yaml | grep -q UP'
  is "the second agent" "$(booted bookworm systemctl is-active quartz-agent@dmz), $(booted bookworm stat -c '%U %a' /var/lib/quartz-agent-instances/dmz)" \
    "active, quartz-agent 700"

  say "credentials"
  check_secrets

  say "upgrade"
  first=$(booted bookworm bash -c 'quartz-agent spool export | head -n 1')
  dpkg-deb -R "$deb" "$folder/next"
  sed -i 's/^Version: .*/&+next/' "$folder/next/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip -b "$folder/next" "$folder/bookworm/root/next.deb" >/dev/null
  booted bookworm dpkg -i /root/next.deb >"$folder/upgrade" 2>&1 </dev/null || die "the upgrade failed: $(<"$folder/upgrade")"
  until_true "the upgraded agent" bookworm quartz-agent status
  [[ -n $first && $(booted bookworm bash -c 'quartz-agent spool export | head -n 1') == "$first" ]] || die "the store is another one behind the upgrade"
  is "over an upgrade" "$(booted bookworm systemctl is-active quartz-agent quartz-agent@dmz | paste -sd' '), $(grep -c "$web" "$folder/bookworm/etc/quartz-agent/agent.yaml") lines of mine" \
    "active active, 2 lines of mine"

  say "remove, then purge"
  # Somebody's own, whose names begin as ours.
  mkdir "$folder/bookworm/var/lib/quartz-agent-backup"
  : >"$folder/bookworm/etc/quartz-agent/notes"
  booted bookworm dpkg -r quartz-agent >/dev/null 2>&1
  [[ -e $folder/bookworm/etc/quartz-agent/agent.yaml && -d $folder/bookworm/var/lib/quartz-agent ]] || die "remove took configuration or store along"
  [[ ! -e $folder/bookworm/usr/bin/quartz-agent ]] || die "remove left the program"
  ok "removed: configuration and store stay"
  booted bookworm dpkg -P quartz-agent >"$folder/purge" 2>&1 || die "purge: $(<"$folder/purge")"
  is "units that run behind purge" "$(booted bookworm systemctl list-units --state=active,activating --plain --no-legend 'quartz-agent*' | paste -sd' ')" ""
  halt bookworm
  files >"$folder/after"
  # The user stays, and with it the files that name users; what an administrator made stays too.
  left=$(comm -13 "$folder/before" "$folder/after" | grep -vE '^etc/((passwd|group|shadow|gshadow)-?|machine-id|\.pwd\.lock|subuid-?|subgid-?)$' | paste -sd' ')
  is "left behind purge" "$left" \
    "etc/quartz-agent etc/quartz-agent/dmz.yaml etc/quartz-agent/notes etc/quartz-agent/quartz_api_key etc/systemd/system/quartz-agent.service.d etc/systemd/system/quartz-agent.service.d/override.conf var/lib/quartz-agent-backup"
}
