// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A dialog and its end.
struct SpokenDialog: Sendable {
  var steps: [SpokenStep]
  /// Words before hanging up. `nil` where the protocol has none.
  var farewell: [UInt8]?

  init(_ steps: [SpokenStep], farewell: [UInt8]? = nil) {
    self.steps = steps
    self.farewell = farewell
  }

  init(_ steps: [SpokenStep], farewell: String) {
    self.init(steps, farewell: Array(farewell.utf8))
  }

  static let silent = SpokenDialog([])
}

extension SpokenDialog {
  /// The preset's dialog on a fresh connection, or after STARTTLS, where some services do not greet again.
  init(_ preset: DialogPreset, afterStartTLS: StartTLSProtocol?) {
    let isUpgraded = afterStartTLS != nil
    switch preset {
    case .smtp: self = Self.smtp(greeting: !isUpgraded)
    case .imap: self = Self.imap(greeting: !isUpgraded)
    case .pop3: self = Self.pop3(greeting: !isUpgraded)
    case .ftp: self = Self.ftp(greeting: !isUpgraded)
    case .ssh: self = Self.ssh
    case .redis: self = Self.redis
    case .memcached: self = Self.memcached
    case .postgres: self = Self.postgres
    case .mysql: self = Self.mysql(greeting: !isUpgraded)
    case .ldap: self = Self.ldap
    case .mqtt: self = Self.mqtt
    }
  }

  /// Our own name where a protocol asks: a name that no host has (RFC 6761).
  static let ownName = "quartz-agent.invalid"

  static func smtp(greeting: Bool) -> SpokenDialog {
    let hello = SpokenStep("EHLO", say: .line("EHLO \(ownName)"), read: .read(ehloAnswer))
    let first = SpokenStep(
      "greeting",
      read: .read { bytes in
        // A server that refuses this client here takes nothing but QUIT (RFC 5321 3.1).
        if let count = Self.refusedClient(bytes) { return .accepted(count) }
        let answer = LineAnswers.codes(220...220, of: "smtp")(bytes)
        guard case .accepted(let count, _) = answer else { return answer }
        return .accepted(count, then: [hello])
      })
    return SpokenDialog([greeting ? first : hello], farewell: "QUIT\r\n")
  }

  /// A server without extensions refuses EHLO, and has to take HELO (RFC 5321 3.2).
  private static let ehloAnswer: @Sendable (ArraySlice<UInt8>) -> Reading = { bytes in
    if let count = Self.refusedClient(bytes) { return .accepted(count) }
    guard case .answer(let answer) = LineAnswers.coded(bytes), (500...599).contains(answer.code) else {
      return LineAnswers.codes(250...250, of: "smtp")(bytes)
    }
    let helo = SpokenStep(
      "HELO", say: .line("HELO \(ownName)"),
      read: .read { bytes in
        if let count = Self.refusedClient(bytes) { return .accepted(count) }
        return Self.asksForLoginToFTP(bytes) ? .foreign("this is not smtp") : Self.heloAnswer(bytes)
      })
    return .accepted(answer.count, then: [helo])
  }

  /// All but 250 refuse this name or this client: Postfix has 501, 504, 550 and 554 for it.
  private static let heloAnswer = LineAnswers.oneOf(
    [250...250, 501...501, 504...504, 530...530, 550...550, 554...554], of: "smtp", isFTP: false)

  /// FTP has the same codes: a server of it names its two commands for a login to a client that is not logged in.
  private static func asksForLoginToFTP(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard case .answer(let answer) = LineAnswers.coded(bytes), answer.code == 530,
      let words = answer.lines.first?.uppercased()
    else { return false }
    return words.contains("USER") && words.contains("PASS")
  }

  /// Bytes of an answer whose enhanced status is of security or policy (RFC 3463 3.8): this client is refused, and the service
  /// answers. 421 ends the service, whatever the status beside it.
  private static func refusedClient(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard case .answer(let answer) = LineAnswers.coded(bytes), answer.code >= 400, answer.code != 421,
      let status = answer.lines.first?.utf8.prefix(4),
      status.elementsEqual("4.7.".utf8) || status.elementsEqual("5.7.".utf8)
    else { return nil }
    return answer.count
  }

  static func ftp(greeting: Bool) -> SpokenDialog {
    // Before anybody is logged in, most servers answer NOOP with 530: an answer of ftp all the same.
    let noop = LineAnswers.oneOf([200...299, 500...509, 530...530], of: "ftp", isFTP: true)
    return SpokenDialog(
      (greeting ? [SpokenStep("greeting", read: .read(ftpGreeting))] : []) + [
        SpokenStep("NOOP", say: .line("NOOP"), read: .read(noop))
      ], farewell: "QUIT\r\n")
  }

  /// 120 announces a delay, and 220 follows (RFC 959 5.4).
  static let ftpGreeting: @Sendable (ArraySlice<UInt8>) -> Reading = { bytes in
    let read = LineAnswers.codes(220...220, of: "ftp", isFTP: true)
    guard case .answer(let first) = LineAnswers.coded(bytes, isFTP: true), first.code == 120 else {
      return read(bytes)
    }
    let second = read(bytes.dropFirst(first.count))
    guard case .accepted(let count, let then) = second else {
      return first.count == bytes.count ? .more : second
    }
    return .accepted(first.count + count, then: then)
  }

  static func imap(greeting: Bool) -> SpokenDialog {
    SpokenDialog(
      (greeting ? [SpokenStep("greeting", read: .read(imapGreeting(allowsPreauth: true)))] : []) + [
        SpokenStep("CAPABILITY", say: .line("a1 CAPABILITY"), read: .read(LineAnswers.tagged("a1")))
      ], farewell: "a2 LOGOUT\r\n")
  }

  static func imapGreeting(allowsPreauth: Bool) -> @Sendable (ArraySlice<UInt8>) -> Reading {
    LineAnswers.oneLine { text, count in
      let words = text.uppercased()
      if words.hasPrefix("* OK") { return .accepted(count) }
      if words.hasPrefix("* PREAUTH") {
        return allowsPreauth
          ? .accepted(count) : .refused("imap greets with PREAUTH, which rules STARTTLS out")
      }
      if words.hasPrefix("* BYE") { return .refused("imap greets with BYE") }
      return .foreign("this is not imap")
    }
  }

  static func pop3(greeting: Bool) -> SpokenDialog {
    // A server need not know CAPA (RFC 2449): -ERR is an answer of pop3 too.
    let capabilities = LineAnswers.pop3(isList: true, onError: .accepted(0))
    return SpokenDialog(
      (greeting ? [SpokenStep("greeting", read: .read(LineAnswers.pop3()))] : []) + [
        SpokenStep("CAPA", say: .line("CAPA"), read: .read(capabilities))
      ], farewell: "QUIT\r\n")
  }

  /// Lines may come before the banner (RFC 4253 4.2). Ours completes the exchange; the keys are never negotiated.
  static let ssh = SpokenDialog(
    [
      SpokenStep(
        "banner",
        read: .read { bytes in
          var rest = bytes
          while let (text, count) = LineAnswers.line(rest) {
            rest = rest.dropFirst(count)
            let words = String(decoding: text, as: UTF8.self)
            guard words.hasPrefix("SSH-") else { continue }
            guard words.hasPrefix("SSH-2.0-") || words.hasPrefix("SSH-1.99-") else {
              return .refused("ssh speaks a version before 2.0")
            }
            return .accepted(bytes.count - rest.count)
          }
          return .more
        }),
      SpokenStep("own banner", say: .line("SSH-2.0-quartz_agent")),
      SpokenStep("key exchange", read: .read(sshKeyExchange)),
    ])

  /// The first packet: its length and padding, then SSH_MSG_KEXINIT (RFC 4253 6 and 7.1).
  static let sshKeyExchange: @Sendable (ArraySlice<UInt8>) -> Reading = { bytes in
    let packet = Array(bytes.prefix(6))
    guard packet.count == 6 else { return .more }
    let length = packet.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    return (12...35_000).contains(length) && packet[5] == 20
      ? .accepted(bytes.count) : .foreign("ssh begins without a key exchange")
  }

  static let redis = SpokenDialog(
    [
      SpokenStep(
        "PING", say: .line("PING"),
        read: .read(
          LineAnswers.oneLine { text, count in
            guard text.hasPrefix("-") || text == "+PONG" else { return .foreign("this is not redis") }
            let word = errorWord(text)
            let isFull = text.hasPrefix("-ERR max number of clients")
            if text == "+PONG" || refusalsOfUs.contains(word) && !isFull { return .accepted(count) }
            return .refused("redis answered -\(word)")
          }))
    ], farewell: "QUIT\r\n")

  /// Answers of redis to a client without a password, without the right to PING, from another machine while it is in
  /// protected mode, and where PING has another name: it works, and it is not ours to log in.
  private static let refusalsOfUs = ["NOAUTH", "NOPERM", "WRONGPASS", "DENIED", "ERR"]

  static let memcached = SpokenDialog(
    [
      SpokenStep(
        "version", say: .line("version"),
        read: .read(
          LineAnswers.oneLine { text, count in
            let word = errorWord("-" + text)
            // CLIENT_ERROR: a login is wanted (`memcached -Y`). ERROR alone: the command is not known.
            if text.hasPrefix("VERSION ") || word == "CLIENT_ERROR" || text == "ERROR" {
              return .accepted(count)
            }
            if word.hasSuffix("ERROR") { return .refused("memcached answered \(word)") }
            return .foreign("this is not memcached")
          }))
    ], farewell: "quit\r\n")

  /// The first word behind the minus: capital letters only, 32 at most.
  private static func errorWord(_ text: String) -> String {
    String(text.dropFirst().prefix(32).prefix { ("A"..."Z").contains($0) || $0 == "_" })
  }
}

extension LineAnswers {
  static func oneOf(
    _ wanted: [ClosedRange<Int>], of name: String, isFTP: Bool
  ) -> @Sendable (ArraySlice<UInt8>) -> Reading {
    { bytes in
      guard case .answer(let answer) = coded(bytes, isFTP: isFTP),
        wanted.contains(where: { $0.contains(answer.code) })
      else { return codes(0...0, of: name, isFTP: isFTP)(bytes) }
      return .accepted(answer.count)
    }
  }
}
