// SPDX-License-Identifier: MIT

/// A text as one word of a command line of sh(1), so that what is advised can be pasted.
package func shellWord(_ text: String) -> String {
  let isPlain =
    !text.isEmpty && text.first != "~"
    && text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || "-_./:@%+=,~".utf8.contains(byte)
    }
  if isPlain { return text }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
