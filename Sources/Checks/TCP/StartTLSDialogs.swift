// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The dialogs before TLS may begin. Each ends with the server's go-ahead.
extension SpokenDialog {
  /// - Parameter host: what an xmpp stream is addressed to.
  static func startTLS(_ kind: StartTLSProtocol, host: String) -> SpokenDialog {
    switch kind {
    case .smtp: smtpStartTLS
    case .imap: imapStartTLS
    case .pop3: pop3StartTLS
    case .ftp: ftpStartTLS
    case .ldap: ldapStartTLS
    case .postgres: postgresStartTLS
    case .mysql: mysqlStartTLS
    case .xmpp: xmppStartTLS(host)
    }
  }

  /// Nothing but the farewell: of a check that wanted the handshake only.
  static func parting(after kind: StartTLSProtocol) -> SpokenDialog {
    switch kind {
    case .smtp: SpokenDialog([], farewell: smtp(greeting: false).farewell)
    case .imap: SpokenDialog([], farewell: imap(greeting: false).farewell)
    case .pop3: SpokenDialog([], farewell: pop3(greeting: false).farewell)
    case .ftp: SpokenDialog([], farewell: ftp(greeting: false).farewell)
    case .ldap: SpokenDialog([], farewell: ldap.farewell)
    case .xmpp: SpokenDialog([], farewell: "</stream:stream>")
    // A login that is broken off counts against this host; a refused one does not.
    case .mysql: SpokenDialog([], farewell: mysqlLoginBytes(sequence: 2, overTLS: true))
    // Until a password was asked for there is nothing to end, and the server expects clients to go silently.
    case .postgres: .silent
    }
  }

  private static let notOffered = "does not offer STARTTLS"

  private static let smtpStartTLS = SpokenDialog([
    SpokenStep("greeting", read: .read(LineAnswers.codes(220...220, of: "smtp"))),
    SpokenStep(
      "EHLO", say: .line("EHLO \(ownName)"),
      read: .read { bytes in
        guard case .answer(let answer) = LineAnswers.coded(bytes), answer.code == 250 else {
          return LineAnswers.codes(250...250, of: "smtp")(bytes)
        }
        // The first line is the server's name.
        let offers = answer.lines.dropFirst().contains { LineAnswers.keyword($0) == "STARTTLS" }
        return offers ? .accepted(answer.count) : .refused("smtp \(notOffered)")
      }),
    SpokenStep(
      "STARTTLS", say: .line("STARTTLS"), read: .read(LineAnswers.codes(220...220, of: "smtp"))),
  ])

  private static let imapStartTLS = SpokenDialog([
    SpokenStep("greeting", read: .read(imapGreeting(allowsPreauth: false))),
    SpokenStep(
      "CAPABILITY", say: .line("s1 CAPABILITY"),
      read: .read(
        LineAnswers.tagged("s1") { untagged in
          let words = untagged.map { $0.split(whereSeparator: \.isWhitespace) }
            .filter { $0.starts(with: ["*", "CAPABILITY"]) }.flatMap(\.self)
          return words.contains("STARTTLS") ? nil : "imap \(notOffered)"
        })),
    SpokenStep("STARTTLS", say: .line("s2 STARTTLS"), read: .read(LineAnswers.tagged("s2"))),
  ])

  private static let pop3StartTLS = SpokenDialog([
    SpokenStep("greeting", read: .read(LineAnswers.pop3())),
    SpokenStep(
      "CAPA", say: .line("CAPA"),
      read: .read(
        LineAnswers.pop3(isList: true, onError: .refused("pop3 does not know CAPA, so it \(notOffered)")) {
          lines in
          lines.contains { LineAnswers.keyword($0) == "STLS" } ? nil : "pop3 \(notOffered)"
        })),
    SpokenStep("STLS", say: .line("STLS"), read: .read(LineAnswers.pop3())),
  ])

  private static let ftpStartTLS = SpokenDialog([
    SpokenStep("greeting", read: .read(ftpGreeting)),
    SpokenStep(
      "AUTH TLS", say: .line("AUTH TLS"),
      read: .read(LineAnswers.codes(234...234, of: "ftp", isFTP: true))),
  ])

  /// The extended operation of RFC 4511 4.14.
  private static let ldapStartTLS = SpokenDialog([
    SpokenStep(
      "StartTLS",
      say: .bytes(
        [0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16] + Array("1.3.6.1.4.1.1466.20037".utf8)),
      read: .read { bytes in
        ldapResult(bytes, answering: 0x78) { code, count in
          code == 0 ? .accepted(count) : .refused("ldap answered result \(code)")
        }
      })
  ])

  /// SSLRequest: one letter is the whole answer.
  private static let postgresStartTLS = SpokenDialog([
    SpokenStep(
      "SSLRequest", say: .bytes([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]),
      read: .read { bytes in
        switch bytes.first {
        case UInt8(ascii: "S"): .accepted(1)
        case UInt8(ascii: "N"): .refused("postgres \(notOffered)")
        case UInt8(ascii: "E"): .refused("postgres answered with an error")
        default: .foreign("this is not postgres")
        }
      })
  ])

  /// There is no go-ahead: the handshake follows the request at once.
  private static let mysqlStartTLS = SpokenDialog([
    SpokenStep(
      "greeting",
      read: .read { bytes in
        mysqlGreeting(bytes) { capabilities, count in
          guard capabilities & mysqlTLSFlag != 0 else { return .refused("mysql \(notOffered)") }
          let request = mysqlFrame(mysqlFlags(overTLS: true), sequence: 1)
          return .accepted(count, then: [SpokenStep("SSLRequest", say: .bytes(request))])
        }
      })
  ])
}
