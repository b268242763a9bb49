// SPDX-License-Identifier: MIT

import Basics

/// How a TLS handshake is made and judged.
package struct TLSOptions: Hashable, Sendable {
  /// PEM file used instead of the system's trust store.
  package var caFile: String?
  /// Sent as SNI and matched against the certificate instead of the host.
  package var serverName: String?
  /// Whether a bad certificate fails the probe. Its facts are in the result either way.
  package var verify: Bool
  package var minimumVersion: TLSVersionChoice
  /// Nil: the newest both sides know.
  package var maximumVersion: TLSVersionChoice?
  /// PEM file of the certificate shown when the server asks for one, chain included.
  package var clientCertificate: String?
  /// PEM file of its key; nil: in the certificate's file.
  package var clientKey: String?

  package init(
    caFile: String? = nil, serverName: String? = nil, verify: Bool = true,
    minimumVersion: TLSVersionChoice = .v12, maximumVersion: TLSVersionChoice? = nil,
    clientCertificate: String? = nil, clientKey: String? = nil
  ) {
    self.caFile = caFile
    self.serverName = serverName
    self.verify = verify
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
  }
}

package enum TLSVersionChoice: String, CaseIterable, Hashable, Sendable, Comparable {
  case v10 = "1.0"
  case v11 = "1.1"
  case v12 = "1.2"
  case v13 = "1.3"

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Settings of a tcp check.
package struct TCPSettings: Hashable, Sendable {
  package var host: String
  package var port: UInt16
  /// Nil: the connection stays plain.
  package var tls: TLSOptions?
  /// Asked for before the handshake; nil: TLS from the first byte.
  package var startTLS: StartTLSProtocol?
  package var dialog: Dialog?
  package var certificate: Thresholds<Duration>

  package init(
    host: String, port: UInt16, tls: TLSOptions?, startTLS: StartTLSProtocol?, dialog: Dialog?,
    certificate: Thresholds<Duration>
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.startTLS = startTLS
    self.dialog = dialog
    self.certificate = certificate
  }
}

/// Settings of a tls check: the certificate of a port.
package struct TLSSettings: Hashable, Sendable {
  package var host: String
  package var port: UInt16
  package var startTLS: StartTLSProtocol?
  package var options: TLSOptions
  package var certificate: Thresholds<Duration>
}

/// The protocols in which a plain connection is turned into a TLS one.
package enum StartTLSProtocol: String, CaseIterable, Hashable, Sendable {
  case smtp, imap, pop3, ftp, ldap, postgres, mysql, xmpp
}

/// What is said on a tcp check's connection.
package enum Dialog: Hashable, Sendable {
  case preset(DialogPreset)
  case steps([DialogStep])
}

/// Dialogs that come with the agent: each proves that its service answers in its own language.
package enum DialogPreset: String, CaseIterable, Hashable, Sendable {
  case smtp, imap, pop3, ftp, ssh, redis, memcached, postgres, mysql, ldap, mqtt
}

/// One step of a dialog, in the order of the file.
package enum DialogStep: Hashable, Sendable {
  /// Read as a `DialogText`. Secret: a dialog may log in.
  case send(Redacted)
  case sendHex([UInt8])
  /// A literal, or after `~ ` a pattern of PCRE2, looked for in what came since the last match.
  case expect(DialogExpectation)
  case expectHex([UInt8])
}

package enum DialogExpectation: Hashable, Sendable {
  /// Read as a `DialogText`.
  case literal(String)
  case pattern(String)
}

/// Settings of a ping check.
package struct PingSettings: Hashable, Sendable {
  package var host: String
  package var method: PingMethod
  /// The port a tcp ping connects to; nil for icmp.
  package var port: UInt16?
  /// Packets a run, 1 to 100.
  package var count: Int
  package var packetInterval: Duration
  /// Payload bytes, 0 to 1,472.
  package var size: Int
  /// Percent lost.
  package var loss: Thresholds<Double>
  package var rtt: Thresholds<Duration>
}

package enum PingMethod: String, CaseIterable, Hashable, Sendable {
  /// Echo requests over unprivileged sockets.
  case icmp
  /// Connections: each that is accepted or refused is a reply.
  case tcp
}
