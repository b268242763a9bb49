// SPDX-License-Identifier: MIT

/// A secret. It prints, reflects and interpolates as `<redacted>`; only `reveal()` gives the value away, so a grep
/// for that word finds every place that handles one.
package struct Redacted: Hashable, Sendable {
  /// Compared and hashed by its bytes, as a password is.
  private let value: ByteText

  package init(_ value: String) { self.value = ByteText(value) }

  /// The secret itself: for the request that needs it, never for a log, a result, a file or an error.
  package func reveal() -> String { value.text }

  package var isEmpty: Bool { value.text.isEmpty }
}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package static let mark = "<redacted>"

  package var description: String { Self.mark }
  package var debugDescription: String { Self.mark }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
