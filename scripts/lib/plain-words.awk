# SPDX-License-Identifier: MIT
#
# Finds words that name a person who is missing, in text for people: "nobody", "somebody", "whoever", "Nil:" and sentences
# that begin with "Who" or "What". With kind=swift those are doc comments and the texts of string literals; with any other
# kind every line. Code between backticks is none of it.
FNR == 1 { literal = 0 }

kind == "swift" {
  if ($0 ~ /^ *\/\/\//) { judge($0); next }
  if (!literal && $0 ~ /^ *\/\//) next
  code = $0
  marks = gsub(/"""/, "", code)
  judge(literal ? code : quoted(code))
  if (marks % 2) literal = !literal
  next
}

{ judge($0) }

# The texts between the quotes of a line of code.
function quoted(code,   parts, n, i, texts) {
  gsub(/\\"/, "", code)
  n = split(code, parts, "\"")
  for (i = 2; i <= n; i += 2) texts = texts " | " parts[i]
  return texts
}

function judge(text,   words) {
  gsub(/\\\([^)]*\)/, " ", text)
  gsub(/`[^`]*`/, " ", text)
  words = " " text " "
  gsub(/[^A-Za-z_:]+/, " ", words)
  gsub(/: /, " : ", words)
  if (words ~ / ([Nn]obody|NOBODY|[Ss]omebody|[Ww]hoever|Who|What|Nil :) /) print FILENAME ":" FNR ": " substr(text, 1, 120)
}
