// SPDX-License-Identifier: MIT

import Basics

/// Why a store could not be opened. A disk that merely fails is no such reason: the store then starts in memory.
package enum SpoolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another agent runs on this directory. The process should end with status 75.
  case locked(path: String)
  case invalidSettings(String)
  /// Only with `requireDurable`.
  case notDurable(reason: String)

  package var description: String {
    switch self {
    case .locked(let path): "\(path) is in use by another agent: stop it, or give this one its own state_dir"
    case .invalidSettings(let problem): problem
    case .notDurable(let reason): "results would not be durable: \(reason)"
    }
  }
}
