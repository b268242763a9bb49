// SPDX-License-Identifier: MIT

/// A text as one word of a command line of sh(1), so that what is advised can be pasted.
package func shellWord(_ text: String) -> String {
  let isPlain =
    !text.isEmpty && text.first != "~"
    && text.utf8.allSatisfy { isASCIIAlphanumeric($0) || "-_./:@%+=,~".utf8.contains($0) }
  if isPlain { return text }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
