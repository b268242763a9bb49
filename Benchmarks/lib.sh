# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the benchmarks have in common: tools that must be there, and what is built. Sourced, never run; the caller is in
# the folder Benchmarks.

# shellcheck source-path=SCRIPTDIR source=../scripts/lib/common.sh
source ../scripts/lib/common.sh
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/lib/nagios/plugins"

missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }

# Ends the script when a tool is not there.
check_tools() {
  if ((${#missing[@]})); then
    echo "missing Debian packages: ${missing[*]}" >&2
    echo "install them with: apt-get install ${missing[*]}" >&2
    exit 69
  fi
  if ! command -v swift >/dev/null; then
    echo "missing: swift 6.3 (https://www.swift.org/install/linux/)" >&2
    exit 69
  fi
}

# The C programs, quartz-bench, and the agent unless the arguments name one; nothing for --help.
build() {
  [[ " $* " != *" --help "* ]] || return 0
  mkdir -p .build/c
  local name libraries
  for name in curl_multi tcp_connect tcp_accept http_delay delay_line; do
    libraries=()
    [[ $name == curl_multi ]] && libraries=(-lcurl)
    cc -std=gnu17 -O2 -Wall -Wextra -o ".build/c/$name" "c/$name.c" "${libraries[@]}"
  done
  local root
  root=$(cd .. && pwd)
  release_product "$root" quartz-bench >&2
  if [[ " $* " != *" --agent"[\ =]* ]]; then
    release_build "$root" >&2
  fi
}
