// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// `group`: agents that share their checks.
package struct GroupSettings: Hashable, Sendable {
  package var name = ""
  package var store = GroupStoreSettings()
  /// Of the lease: how long a member may be silent before the others have its checks.
  package var ttl: Duration = .seconds(10)
  /// Nil: by this machine's processors.
  package var weight: Int?
  /// What all keys in the store begin with; a slash at both ends.
  package var prefix = "/quartz/"
  /// The checks of the file are the group's, too.
  package var share = false
  /// Where the other members reach this agent's status server; nil: they cannot ask it.
  package var url: HTTPURL?
  /// What members show one another to read what they add up; nil: nothing.
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
