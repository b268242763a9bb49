// SPDX-License-Identifier: MIT

import Basics

/// libyaml's words for a mistake. It has no code for an operator's mistake, so the hint is chosen by its words: the
/// constant texts of its scanner and parser, the same in 0.2.1 to 0.2.5.
package struct LibyamlWords: Sendable {
  package let text: String

  init(_ text: String) { self.text = text }

  /// The next step. `nil` where the words say it.
  package var hint: String? {
    switch text {
    case "mapping values are not allowed in this context":
      "check the indentation of this line, or quote a value that contains \": \""
    case "found character that cannot start any token": "quote a value that begins with @, ` or %"
    case "did not find expected key", "could not find expected ':'":
      "check the indentation and quotes of this line and the one before"
    default: nil
    }
  }
}
