# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The time limit of each test. Swift Testing's own cannot end a loop that never suspends; this one watches the runner's
# events from outside. Sourced after common.sh, never run.

# Every process below this one, the deepest first.
descendants() {
  local child children=()
  [[ -r /proc/$1/task ]] || return 0
  read -r -a children < <(cat "/proc/$1/task/"*/children 2>/dev/null | tr '\n' ' ') || true
  for child in "${children[@]}"; do
    descendants "$child"
    printf '%s\n' "$child"
  done
}

# What every thread of a process does, by the debugger there is.
print_stack() {
  say "the threads of $1, $(tr '\0' ' ' <"/proc/$1/cmdline" | cut -c 1-120)"
  if command -v gdb >/dev/null; then
    timeout 60 gdb -p "$1" -batch -nx -ex 'set pagination off' -ex 'thread apply all backtrace 30' 2>&1 \
      | grep -aE '^(Thread|#)' | cut -c 1-240 >&2 || true
  elif command -v eu-stack >/dev/null; then
    timeout 60 eu-stack -p "$1" 2>&1 | cut -c 1-240 >&2 || true
  else
    say "no stack: install gdb or elfutils to see one"
  fi
}

# watch_tests RUNNER SECONDS: passes on what the test runner prints, and ends it with all its processes when one test,
# or one case of a test with arguments, goes on for longer than that. Returns 1 then, after telling which.
watch_tests() {
  local runner=$1 limit=$2 line='' part='' running='' last='the start' since=$SECONDS code pid
  local processes=()
  while :; do
    code=0
    IFS= read -r -t 1 part || code=$?
    # A line that was not finished within the second goes on in the next round.
    line+=$part
    if ((code == 0)); then
      printf '%s\n' "$line"
      case $line in
        '◇ Test case '*' started.') since=$SECONDS ;;
        '◇ Test run started.') running='the runner itself' since=$SECONDS ;;
        '◇ Test '*' started.')
          running=${line#'◇ Test '}
          running=${running%' started.'} since=$SECONDS
          ;;
        '✔ Test run '* | '✘ Test run '*) running='' ;;
        '✔ Test '* | '✘ Test '*' failed after '* | '➜ Test '*)
          last=${line#* Test }
          running="what comes after $last" since=$SECONDS
          ;;
      esac
      line=''
    elif ((code <= 128)); then
      [[ -z $line ]] || printf '%s\n' "$line"
      return 0
    fi
    if [[ -n $running ]] && ((SECONDS - since > limit)); then
      say "TIME LIMIT: test $running went on for more than $limit s"
      mapfile -t processes < <(descendants "$runner" && printf '%s\n' "$runner")
      for pid in "${processes[@]}"; do
        if [[ $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null) == *testing* ]]; then print_stack "$pid"; fi
      done
      kill -KILL "${processes[@]}" 2>/dev/null || true
      say "TIME LIMIT: test $running went on for more than $limit s; the run was ended"
      return 1
    fi
  done
}
