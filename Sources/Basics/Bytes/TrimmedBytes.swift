// SPDX-License-Identifier: MIT

/// A blank or a tab.
@inlinable
package func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

extension BidirectionalCollection where Element == UInt8 {
  /// Without what is blank at both ends: blanks and tabs, unless told.
  @inlinable
  package func trimmed(_ isLeftOut: (UInt8) -> Bool = isBlank) -> SubSequence {
    guard let first = firstIndex(where: { !isLeftOut($0) }), let last = lastIndex(where: { !isLeftOut($0) })
    else { return self[endIndex...] }
    return self[first...last]
  }
}

extension StringProtocol {
  /// Without blanks and tabs at both ends.
  package var withoutBlanks: String { String(decoding: Substring(self).utf8.trimmed(), as: UTF8.self) }
}
