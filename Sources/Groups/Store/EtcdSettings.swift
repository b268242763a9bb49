// SPDX-License-Identifier: MIT

import Basics

/// How to reach an etcd.
package struct EtcdSettings: Hashable, Sendable {
  /// Bases of its members' client listeners: https, or http to this machine.
  package var endpoints: [HTTPURL]
  /// `nil` where etcd has no authentication, or the certificate names the user.
  package var user: String?
  package var password: Redacted?
  package var tls: TLSOptions

  package init(
    endpoints: [HTTPURL], user: String? = nil, password: Redacted? = nil, tls: TLSOptions = TLSOptions()
  ) {
    (self.endpoints, self.user, self.password, self.tls) = (endpoints, user, password, tls)
  }
}
