# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# A clean system with its own systemd, for scripts/prove-packages. Sourced, never run.

declare -A init_of=()

# A real web server, on the port that it is given or a free one, which it prints.
web_server='
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"ok")
    def log_message(self, *arguments): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(server.server_port, flush=True); server.serve_forever()'

# boot SUITE: starts systemd in that system, in namespaces of its own, with a web server at http://127.0.0.1:8080/.
boot() {
  local root=$folder/$1 tries
  # shellcheck disable=SC2016
  unshare --mount --net --pid --uts --ipc --cgroup --fork --kill-child bash -c '
    set -e
    ip link set lo up
    mount --make-rprivate /
    mount --bind "$0" "$0"
    cd "$0"
    mount -t proc proc proc
    for place in run tmp dev; do mount -t tmpfs tmpfs "$place"; done
    for name in null zero full random urandom tty; do
      : >"dev/$name"
      mount --bind "/dev/$name" "dev/$name"
    done
    mkdir dev/pts dev/shm
    mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    mount -t sysfs sysfs sys
    mount -t tmpfs tmpfs sys/fs/cgroup
    mkdir sys/fs/cgroup/systemd sys/fs/cgroup/unified
    mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
    mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
    : >etc/machine-id
    # A changed root alone would keep the units from user namespaces of their own.
    mkdir old
    pivot_root . old
    exec chroot . /bin/sh -c "umount --lazy /old; rmdir /old; mount --make-rshared /
      exec env -i container=prove PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --log-target=null"' \
    "$root" </dev/null >"$folder/boot-$1" 2>&1 &
  init_of[$1]=$!
  for tries in {1..100}; do
    if [[ $(booted "$1" systemctl is-system-running 2>/dev/null) =~ ^(running|degraded)$ ]]; then
      nsenter --target "$(pgrep -P "${init_of[$1]}" | head -n 1)" --net python3 -c "$web_server" 8080 >/dev/null &
      helpers+=("$!")
      return
    fi
    sleep 0.2
  done
  cat "$folder/boot-$1" >&2
  die "systemd did not start in $root after $tries tries"
}

# booted SUITE COMMAND...: in that system, as root.
booted() {
  local init=${init_of[$1]}
  shift
  init=$(pgrep -P "$init" | head -n 1)
  [[ -n $init ]] || return 1
  nsenter --target "$init" --mount --net --pid --uts --ipc --cgroup --root --wd env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LANG=C.UTF-8 TERM=dumb "$@"
}

# halt SUITE: all that runs in it ends with its first process, which takes no other signal from outside.
halt() {
  local outer=${init_of[$1]:-}
  [[ -n $outer ]] || return 0
  pkill -KILL -P "$outer" || true
  wait "$outer" 2>/dev/null || true
  unset "init_of[$1]"
}

# block FILE HEADING [NUMBER]: the commands of the first, or of that one, of the blocks of shell below a heading, as they
# stand there.
block() {
  local text
  text=$(awk -v heading="$2" -v wanted="${3:-1}" '
    /^#+ / { here = ($0 ~ "^#+ " heading "$") }
    here && /^```sh$/ { number++; inside = number == wanted; next }
    /^```$/ { inside = 0 }
    inside' "$1")
  [[ -n $text ]] || die "$1 has no commands below $2"
  printf '%s\n' "$text"
}
