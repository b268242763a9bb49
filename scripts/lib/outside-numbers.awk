# SPDX-License-Identifier: MIT
#
# Finds, in files that read what a network, a file or another process says, arithmetic and conversions that end the
# process when a number does not fit, and subscripts by computed places. Each needs a helper of ToldOverflow.swift, or a
# comment `// bounded: why it fits` on its line, on the line above, or first in the block that it stands in.
FNR == 1 { covered = -1; above = 0; before = "" }
{ match($0, /^ */); indent = RLENGTH; text = substr($0, indent + 1) }
covered >= 0 && indent < covered && text != "" { covered = -1 }
text ~ /^\/\// {
  if (text ~ /^\/\/ bounded: [a-zA-Z]/) { if (before ~ /([{]| in)$/) { if (covered < 0) covered = indent } else above = 1 }
  next
}
{
  before = text
  marked = above || text ~ /\/\/ bounded: [a-zA-Z]/
  # A statement over several lines keeps its mark.
  if (text !~ /[,(]$/) above = 0
  if (marked || covered >= 0) next
  gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
  sub(/ \/\/ .*/, "", text)
  # What a condition binds is an optional: digits that are no number are told.
  inCondition = text ~ /^(guard|if|while|} else if) / || text ~ /,$/ || continues
  continues = inCondition && text !~ /[{}]$/
  if (inCondition) gsub(/(let|var) [a-zA-Z]+ = U?Int(8|16|32|64)?\(/, "(", text)
  gsub(/U?Int(8|16|32|64)?\((truncatingIfNeeded|clamping|exactly|bitPattern|ascii|littleEndian|bigEndian):/, "(", text)
  # Lists and texts that grow.
  gsub(/(bytes|wire|parts|output|fields|waits) \+= /, "", text)
  hit = ""
  if (text ~ /(^|[^A-Za-z_.])U?Int(8|16|32|64)?\([^)]/) hit = "a conversion that may not fit"
  else if (text ~ /[A-Za-z0-9_)\]] [-+*] [A-Za-z0-9_(.]/ || text ~ / [-+*]= /) hit = "arithmetic that may overflow"
  else if (text ~ /[A-Za-z0-9_)\]]\[[^\]]*[-+*][^\]]*\]/) hit = "a computed place"
  if (hit != "") printf "%s:%d: %s\n", FILENAME, FNR, hit
}
