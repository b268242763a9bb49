// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// `group`: agents that share their checks.
package struct GroupSettings: Hashable, Sendable {
  package var name = ""
  package var store = GroupStoreSettings()
  /// Of the lease: how long a member may be silent before the others have its checks.
  package var ttl: Duration = .seconds(10)
  /// `nil` for the number of this machine's processors.
  package var weight: Int?
  /// Prefix of all keys in the store; a slash at both ends.
  package var prefix = "/quartz/"
  /// The checks of the file are the group's, too.
  package var share = false
  /// Where the other members reach this agent's status server; nil: they cannot ask it.
  package var url: HTTPURL?
  /// Token that members send to read one another's windows. `nil` for none.
  package var token: Redacted?

  package init() {}
}

/// `group.store`
package struct GroupStoreSettings: Hashable, Sendable {
  /// Bases of etcd's client listeners.
  package var etcd: [HTTPURL] = []
  package var user: String?
  package var password: Redacted?
  package var tls = GroupStoreTLS()

  package init() {}
}

/// `group.store.tls`
package struct GroupStoreTLS: Hashable, Sendable {
  package var caFile: String?
  package var clientCertificate: String?
  package var clientKey: String?

  package init() {}
}
