# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What run, test and CI share: words, the toolchain, Debian packages. Sourced, never run.

say() { printf '==> %s\n' "$*" >&2; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Puts swift in PATH, or says what to do. Comes before the packages: without it they are of no use.
find_swift() {
  command -v swift >/dev/null && return 0
  if [[ -x /opt/swift/usr/bin/swift ]]; then
    PATH="/opt/swift/usr/bin:$PATH"
    export PATH
    return 0
  fi
  die "no swift found in PATH or /opt/swift/usr/bin.
  Install Swift 6.3 for Debian 12 from https://www.swift.org/install/linux/ (or unpack its archive to
  /opt/swift, so that /opt/swift/usr/bin/swift exists), then run this again."
}

# Comes after the packages: the toolchain itself needs libraries that a fresh Debian does not have.
check_swift() {
  local report version major minor
  # Asked of the compiler: `swift --version` also starts the package manager's driver.
  report=$(swiftc --version 2>&1) || die "swift is there but does not start: $report"
  version=$(sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' <<<"$report" | head -n 1)
  major=${version%%.*}
  minor=${version#*.}
  if [[ -z $version ]] || ((major < 6 || (major == 6 && minor < 2))); then
    die "Swift 6.2 or newer is needed, found ${version:-none that says its version} at $(command -v swift).
  Install Swift 6.3 from https://www.swift.org/install/linux/, then run this again."
  fi
}

# release_build FOLDER [OPTION...]: the program as people get it, for run, package and the benchmarks. Always the same
# flags: another set in the same folder would build everything again. The Swift runtime is linked in, so that the program
# runs on machines without a toolchain; a C file that names itself in a message does so from the repository's root.
release_build() { release_product "$1" quartz-agent "${@:2}"; }

# release_product FOLDER PRODUCT [OPTION...]: another program of the same rooms, built as the agent is.
release_product() {
  local folder=$1 product=$2
  shift 2
  swift build --package-path "$folder" -c release --static-swift-stdlib --product "$product" \
    -Xcc "-ffile-prefix-map=$folder=." "$@"
}

# from_pypi FOLDER PACKAGE VERSION: a tool of Python's index, in a folder of its own.
from_pypi() {
  say "$2 $3 comes from PyPI into $1"
  python3 -m venv "$1"
  "$1/bin/pip" install --quiet "$2==$3"
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "this needs root: $* (run it as root, or install sudo)"
  fi
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# install_packages LIST: lines of `package  what it is for`. Installs those that are missing, after saying so.
install_packages() {
  local name purpose missing=()
  while read -r name purpose; do
    [[ -z $name ]] && continue
    is_installed "$name" && continue
    ((${#missing[@]})) || say "these Debian packages are missing and will be installed:"
    printf '      %-22s %s\n' "$name" "$purpose" >&2
    missing+=("$name")
  done <<<"$1"
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null \
    || die "no apt-get here; install what corresponds to the packages above, then run this again"
  ((EUID == 0)) || say "sudo is asked for apt-get, for these packages only"
  apt_install "${missing[@]}"
}

apt_install() {
  local known=1 name
  for name in "$@"; do
    [[ -n $(apt-cache policy "$name" 2>/dev/null | sed -n 's/^  Candidate: \([^(].*\)/\1/p') ]] || known=0
  done
  # A fresh system has no package lists yet; one whose lists are old fails to download and gets new ones.
  ((known)) || apt_update
  apt_get_install "$@" || {
    say "once more with fresh package lists"
    apt_update
    apt_get_install "$@"
  }
}

apt_update() {
  say "apt-get update"
  as_root apt-get update -q >&2
}

apt_get_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" \
    </dev/null >&2
}
