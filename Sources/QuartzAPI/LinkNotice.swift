// SPDX-License-Identifier: MIT

import Basics

/// A fact about the connection that people should read, and what to do about it.
package struct LinkNotice: Hashable, Sendable {
  /// Lower case but for names, no full stop, no secrets.
  package var message: String
  /// Nil when there is nothing to do.
  package var hint: String?
  /// Somebody has to look now.
  package var isAlarm = false

  package init(message: String, hint: String? = nil, isAlarm: Bool = false) {
    self.message = message
    self.hint = hint
    self.isAlarm = isAlarm
  }
}
