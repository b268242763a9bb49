// SPDX-License-Identifier: MIT

import Basics

/// What libyaml says of a mistake. It gives an operator's mistake no code of its own, so that what to do about it is told
/// by its words: the constant texts of its scanner and parser, the same in 0.2.1 to 0.2.5.
struct LibyamlWords: Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  /// What to do; nil: the words say it.
  var hint: String? {
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
