# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Deno, and the edge functions of deploy/quartz as they are deployed. Sourced after common.sh, never run.
# shellcheck disable=SC2154

deno_version=2.9.8

# find_deno FOLDER: its path is in `deno`, which keeps what it compiles in the folder; it comes from PyPI where it is missing.
find_deno() {
  local tools=$here/.build/deno-$deno_version
  deno=$tools/bin/deno
  export DENO_DIR=$1 DENO_NO_UPDATE_CHECK=1 NO_COLOR=1
  [[ -x $deno ]] && "$deno" --version >/dev/null 2>&1 && return 0
  from_pypi "$tools" deno "$deno_version"
}

# readme_function NAME: the code that deploy/quartz/README.md gives for it, which is the block that imports the file.
readme_function() {
  awk -v wanted="from './$1.ts'" '
    /^```ts$/ { text = ""; inside = 1; next }
    inside && /^```$/ { if (index(text, wanted) && index(text, "serve(")) printf "%s", text; inside = 0; next }
    inside { text = text $0 "\n" }' "$here/deploy/quartz/README.md"
}

# lay_functions FOLDER: a folder each, as the Supabase CLI has them, and their tests; types are checked, tests are run.
lay_functions() {
  local folder=$1 from=$here/deploy/quartz name
  cp -r "$here/Tests/DeployTests/Backend/functions" "$folder"
  mkdir "$folder/dispatch-notifications" "$folder/execute-checks" "$folder/tests"
  cp "$from"/{check-results,app-compat}.ts "$folder/public-api"
  cp "$from/dispatch-notifications.ts" "$folder/dispatch-notifications"
  cp "$from/dispatch-notifications.ts" "$folder/send-notifications"
  cp "$from/run-now.ts" "$folder/execute-checks"
  readme_function dispatch-notifications >"$folder/dispatch-notifications/index.ts"
  readme_function run-now >"$folder/execute-checks/index.ts"
  for name in "$folder"/*/index.ts; do [[ -s $name || $name == */tests/* ]] || die "$name: README.md has no code for it"; done
  cp "$from"/*.ts "$here"/Tests/DeployTests/Backend/*.test.mjs "$folder/tests"
  "$deno" check --quiet --no-remote --config "$folder/deno.json" "$folder"/*/*.ts
  "$deno" test --quiet --no-remote --no-check --config "$folder/deno.json" "$folder/tests/loop.test.mjs"
  "$deno" run --no-prompt --no-remote --no-check --config "$folder/deno.json" "$folder/tests/route.test.mjs"
}
