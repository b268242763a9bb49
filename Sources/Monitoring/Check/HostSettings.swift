// SPDX-License-Identifier: MIT

import Basics

/// Settings of a tcp check.
package struct TCPSettings: Hashable, Sendable {
  package var host: String
  package var port: UInt16
  /// `nil` where the connection stays plain.
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

/// The dialog on a tcp check's connection.
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
  package var host = ""
  package var method = PingMethod.icmp
  /// The port a tcp ping connects to; nil for icmp.
  package var port: UInt16?
  /// Packets a run, 1 to 100.
  package var count = 4
  package var packetInterval: Duration = .milliseconds(200)
  /// Payload bytes, 0 to 1,472.
  package var size = 56
  /// Percent lost.
  package var loss = Thresholds<Double>()
  package var rtt = Thresholds<Duration>()
}

package enum PingMethod: String, CaseIterable, Hashable, Sendable {
  /// Echo requests over unprivileged sockets.
  case icmp
  /// Connections: each that is accepted or refused is a reply.
  case tcp
}
