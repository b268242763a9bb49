// SPDX-License-Identifier: MIT

import Basics
import Curl
import Glibc
import Monitoring
import Network

// Mail: a transaction for each recipient, so that each has an outcome of its own.
extension ChannelSender {
  func send(
    _ message: AlertMessage, _ mail: MailChannel, _ channel: AlertChannel, to recipients: [String]?
  ) async -> SendOutcome {
    let places: [SocketAddress]
    switch try? await outbound.connect(to: mail.server, rules, within: channel.timeout) {
    case nil: return .failed("stopped")
    case .failure(let failure): return SendOutcome(failure)
    case .success(let found): places = found
    }
    guard let first = places.first else {
      return .failed("\(mail.server.host) has no address", isUnreachable: true)
    }
    let content = MailText(message, channel.template, mail, now: time.wall()).bytes
    let hello = if let named = mail.hello { named } else { await onThread { HostName.full } }
    var round = MailRound(server: mail.server.description)
    for recipient in recipients ?? mail.recipients {
      // A server that cannot be reached for one is not asked for the others.
      if round.isUnreachable {
        round.leave(recipient)
        continue
      }
      var transfer = MailTransfer(
        host: mail.server.host, address: first,
        security: mail.security == .implicit ? .implicit : mail.security == .starttls ? .startTLS : .none,
        sender: mail.sender, recipients: [recipient], content: content)
      transfer.otherAddresses = Array(places.dropFirst())
      (transfer.username, transfer.password, transfer.caFile) = (mail.username, mail.password, mail.caFile)
      (transfer.timeout, transfer.hello) = (channel.timeout, hello)
      round.note(await transfer.send(time: time), for: recipient)
    }
    return round.outcome
  }
}

/// The full name of this machine, as its resolver knows it.
private enum HostName {
  /// Asked once, on a thread that may block: a resolver may take seconds.
  static let full: String = {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    var hints = addrinfo()
    hints.ai_flags = AI_CANONNAME
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &found) == 0, let first = found else { return usable(name) }
    defer { freeaddrinfo(first) }
    return usable(first.pointee.ai_canonname.map { String(cString: $0) } ?? name)
  }()

  private static func usable(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      isASCIIAlphanumeric(byte) || byte == 0x2d || byte == 0x2e
    }
    return name.isEmpty || !isPlain ? "localhost" : name
  }
}

/// The outcome of one mail for each recipient. Pure.
struct MailRound {
  private let server: String
  private var taken: [String] = []
  private var remaining: [String] = []
  /// Recipients deferred, and recipients refused for good, in the server's words and ours.
  private var deferred: [String] = []
  private var refused: [String] = []
  private(set) var isUnreachable = false

  /// Recipients that are named with the server's words.
  private static let named = 4

  init(server: String) { self.server = server }

  mutating func note(_ end: MailTransfer.End, for recipient: String) {
    switch end {
    case .taken: taken.append(recipient)
    case .answered(let reply) where (500...599).contains(reply.code):
      refused.append("\(server) refused \(recipient): \(reply.line)")
    case .answered(let reply):
      remaining.append(recipient)
      deferred.append("\(server) deferred \(recipient): \(reply.line)")
    case .failed(let why):
      remaining.append(recipient)
      deferred.append("\(server): \(why)")
      isUnreachable = true
    }
  }

  mutating func leave(_ recipient: String) { remaining.append(recipient) }

  /// A recipient that is refused for good does not keep the others from it, and is named.
  var outcome: SendOutcome {
    let said = Self.list(deferred + refused)
    if !remaining.isEmpty {
      // Never as unreachable, which is retried every few seconds: a login that is refused so often locks the account.
      if taken.isEmpty, refused.isEmpty { return .failed(said) }
      return .partly(
        said, remaining: remaining, refused: refused.isEmpty ? nil : Self.list(refused),
        isTaken: !taken.isEmpty)
    }
    if refused.isEmpty { return .delivered }
    return taken.isEmpty ? .refused(said) : .deliveredBut(said)
  }

  private static func list(_ words: [String]) -> String {
    let rest = words.count - named  // bounded: recipients of a channel
    return (words.prefix(named) + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "; ")
  }
}
