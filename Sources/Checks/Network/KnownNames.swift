// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// The names at which checks from the API found an address that they may dial, since the agent's start.
///
/// A result that is delivered must not tell a stranger which names exist in the network around the agent. A name with a
/// private address ends as unknown and is not delivered, so the failure of any other name is delivered only when the
/// name once led to an open address, and with it is known outside. Until then a missing name and a private one look the
/// same: nothing comes.
package final class KnownNames: Sendable {
  /// Names kept. Far more than the checks of an API can have; beyond it those learned longest ago are forgotten.
  static let limit = 16_384
  /// Names kept of one path: the longest that public resolvers follow is a fraction of it, and a longer one must not
  /// push out what is known of others.
  static let longestPath = 64

  private let names = Mutex(RecentSet<ByteText>(limit: limit))

  package init() {}

  /// - Parameter host: as the check writes it, and the aliases that its answer led through.
  func learn(_ host: String, _ aliases: [String]) {
    guard aliases.count < Self.longestPath else { return }
    let path = ([host] + aliases).map { ByteText(plainHost($0)) }
    names.withLock { names in for name in path { names.insert(name) } }
  }

  /// Whether all of them are: an alias of one's own may lead to a name that is not.
  func knows(_ host: String, _ aliases: [String]) -> Bool {
    let path = ([host] + aliases).map { ByteText(plainHost($0)) }
    return names.withLock { names in path.allSatisfy(names.contains) }
  }
}

extension Verdict {
  /// The failure to resolve a name that is not known to be public: not for the API.
  var untold: Verdict {
    let words = "not reported: it had no address yet that is open to checks from the API"
    var told = with(message: message.map { "\($0) (\(words))" } ?? words)
    told.isUnknown = true
    return told
  }
}
