# SPDX-License-Identifier: MIT
#
# Finds, in files that read what a network, a file or another process says, arithmetic and conversions that end the
# process when a number does not fit, and subscripts by computed places. Each needs a helper of ToldOverflow.swift, or a
# comment `// bounded: why it fits` on its line or on the line above its statement. First in a block of five lines at
# most, it speaks of the whole block: a mark is for what its writer looked at, and not for what is added later.
FNR == 1 { if (NR > 1) judge(); name = FILENAME; count = 0 }
{ line[++count] = $0 }
END { judge() }

function indent(text) { match(text, /^ */); return RLENGTH }

# Lines of code from this one to the end of its block.
function block(from, depth,   i, n) {
  for (i = from; i <= count; i++) {
    if (line[i] ~ /^ *$/ || line[i] ~ /^ *\/\//) continue
    if (indent(line[i]) < depth) break
    n++
  }
  return n
}

function judge(   i, depth, text, covered, above, before, continues, inCondition, hit) {
  covered = -1; above = 0; before = ""; continues = 0
  for (i = 1; i <= count; i++) {
    depth = indent(line[i])
    text = substr(line[i], depth + 1)
    if (covered >= 0 && depth < covered && text != "") covered = -1
    if (text ~ /^\/\//) {
      if (text ~ /^\/\/ bounded: [a-zA-Z]/) {
        if (before ~ /([{]| in)$/ && block(i + 1, depth) <= 5) { if (covered < 0) covered = depth } else above = 1
      }
      continue
    }
    before = text
    hit = above || covered >= 0 || text ~ /\/\/ bounded: [a-zA-Z]/
    # A statement over several lines keeps its mark.
    if (text !~ /[,(]$/) above = 0
    if (hit) continue
    gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
    sub(/ \/\/ .*/, "", text)
    # What a condition binds is an optional: digits that are no number are told.
    inCondition = text ~ /^(guard|if|while|} else if) / || text ~ /,$/ || continues
    continues = inCondition && text !~ /[{}]$/
    if (inCondition) gsub(/(let|var) [a-zA-Z]+ = U?Int(8|16|32|64)?\(/, "(", text)
    gsub(/U?Int(8|16|32|64)?\((truncatingIfNeeded|clamping|exactly|bitPattern|ascii|littleEndian|bigEndian):/, "(", text)
    # Lists and texts that grow.
    gsub(/(bytes|wire|parts|output|fields|waits|text|name|stream|log|shown) \+= /, "", text)
    # What counts things in memory one by one from nothing, and a depth, which every reader holds to a limit.
    gsub(/(index|position|count|entries|ignored|interim|fieldCount|sealed) \+= 1/, "", text)
    gsub(/depth: depth \+ 1/, "", text)
    if (text ~ /((^|[^A-Za-z_.])U?Int(8|16|32|64)?\([^)]|\.map\(U?Int(8|16|32|64)?\.init)/) hit = "a conversion that may not fit"
    else if (text ~ /[A-Za-z0-9_)\]] [-+*] [A-Za-z0-9_(.]/ || text ~ / [-+*]= /) hit = "arithmetic that may overflow"
    else if (text ~ /[A-Za-z0-9_)\]]\[[^\]]*[-+*][^\]]*\]/) hit = "a computed place"
    else continue
    printf "%s:%d: %s\n", name, i, hit
  }
}
