// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Synchronization

/// A mail server (RFC 5321) that keeps what it is given and misbehaves where it is told to: for what no real one does.
package final class MailServer: Sendable {
  package struct Mail: Hashable, Sendable {
    package var recipients: [String]
    package var content: String
  }

  /// What becomes of a connection after QUIT.
  package enum Ending: Sendable, CaseIterable {
    /// As it should be.
    case polite
    case silent
    /// A byte of the reply now and then, for ever.
    case dripping
    /// Lines of a reply without a last one, as fast as they are read.
    case flooding
    case closes
  }

  package struct Manners: Sendable {
    package var greeting = "220 mail.test\r\n"
    /// The reply to the data; nil: none ever.
    package var afterData: String? = "250 kept\r\n"
    /// The reply to a recipient that begins with `bad`.
    package var refusal: [UInt8] = Array("550 no such user\r\n".utf8)
    /// Replies to commands by their first four letters, instead of the usual ones.
    package var replies: [String: String] = [:]
    /// Sent in a loop instead of the reply to EHLO.
    package var flood: String?
    package var ending = Ending.polite

    package init() {}
  }

  private struct State {
    var manners: Manners
    var mails: [Mail] = []
    var quits = 0
    var ended = 0
    /// Mails whose data came, whatever was replied.
    var received = 0
  }

  private let state: Mutex<State>

  package init(_ manners: Manners = Manners()) { state = Mutex(State(manners: manners)) }

  package func set(_ body: (inout Manners) -> Void) { state.withLock { body(&$0.manners) } }

  /// Those that were replied to with a code of 2xx.
  package var mails: [Mail] { state.withLock(\.mails) }
  package var received: Int { state.withLock(\.received) }
  package var quits: Int { state.withLock(\.quits) }
  /// Connections that the client has ended.
  package var ended: Int { state.withLock(\.ended) }

  /// The script of one connection.
  package func serve(_ connection: LoopbackConnection) {
    var lines = MailLines(connection)
    let manners = state.withLock(\.manners)
    connection.write(manners.greeting)
    var recipients: [String] = []
    while let line = lines.next() {
      switch line.prefix(4).uppercased() {
      case "EHLO" where manners.flood != nil:
        while connection.write(manners.flood ?? "") {}
      case "RCPT":
        let address = String(line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
        let isRefused = address.hasPrefix("bad")
        if !isRefused { recipients.append(address) }
        if isRefused { connection.write(manners.refusal) } else { connection.write("250 ok\r\n") }
      case "DATA":
        connection.write("354 go\r\n")
        guard let content = lines.content() else { break }
        take(Mail(recipients: recipients, content: content), connection)
      case "QUIT": end(connection, lines)
      case let verb: connection.write(manners.replies[verb] ?? "250 mail.test\r\n")
      }
    }
    state.withLock { $0.ended += 1 }
  }

  private func take(_ mail: Mail, _ connection: LoopbackConnection) {
    let reply = state.withLock { state in
      state.received += 1
      if state.manners.afterData?.hasPrefix("2") == true { state.mails.append(mail) }
      return state.manners.afterData
    }
    if let reply { connection.write(reply) }
  }

  private func end(_ connection: LoopbackConnection, _ lines: MailLines) {
    let ending = state.withLock { state in
      state.quits += 1
      return state.manners.ending
    }
    switch ending {
    case .polite:
      connection.write("221 bye\r\n")
      shutdown(connection.descriptor, Int32(SHUT_WR))
    case .silent: break
    case .dripping:
      while connection.write("2") { usleep(20_000) }
    case .flooding:
      while connection.write("221-and more\r\n") {}
    case .closes: shutdown(connection.descriptor, Int32(SHUT_RDWR))
    }
  }
}

/// The client's lines.
private struct MailLines {
  private let connection: LoopbackConnection
  private var rest: [UInt8] = []

  init(_ connection: LoopbackConnection) { self.connection = connection }

  /// `nil` at the end of the connection.
  mutating func next() -> String? { taken(through: "\r\n") }

  /// The mail up to the line with a dot.
  mutating func content() -> String? { taken(through: "\r\n.\r\n") }

  private mutating func taken(through marker: String) -> String? {
    while true {
      let text = String(decoding: rest, as: UTF8.self)
      if let place = text.firstRange(of: marker) {
        rest = Array(text[place.upperBound...].utf8)
        return String(text[..<place.lowerBound])
      }
      let more = connection.read(65_536)
      if more.isEmpty { return nil }
      rest += more
    }
  }
}
