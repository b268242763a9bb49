// SPDX-License-Identifier: MIT

import Basics

/// Credentials that only the service can read, where a command in a shell reads the service's configuration. Checks and
/// channels that need them are known by their names, and neither probed nor sent: without its secret a request would be
/// another question.
package struct UnreadCredentials: Hashable, Sendable {
  /// In the order of the file, at least one.
  package var names: [String]
  /// A condition needs one: an answer cannot be judged.
  package var hidesConditions = false
  /// The target needs one, so that the check has a placeholder.
  package var hidesTarget = false

  /// `nil` for no names.
  package init?(_ names: [String]) {
    guard !names.isEmpty else { return nil }
    self.names = names.withoutRepetitions { ByteText($0) }
  }

  /// The missing credentials, for people.
  package var words: String {
    let shown = names.andMore(after: 3) { "\"\($0.printable(maxBytes: 40))\"" }
    return "needs the \(plural("credential", names.count, "credentials")) \(shown), "
      + NarrowCause.unreadCredential.rawValue
  }

  /// Host of placeholders. Never resolves (RFC 6761, section 6.4).
  package static let host = "credential.invalid"
}
