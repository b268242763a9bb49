// SPDX-License-Identifier: MIT

import Basics
import TestSupport

/// Troubles that every sender may meet.
enum Trouble: String, CaseIterable {
  case firstAddressDead, nameGone, redirectInward, silent, slow, endless, brokenTLS, proxy, tooMany,
    unavailable

  /// Addresses of the receiver's name.
  var addresses: [IPAddress] {
    let texts =
      switch self {
      case .firstAddressDead: ["127.0.0.2", "127.0.0.3", "127.0.0.1"]
      case .nameGone: [String]()
      default: ["127.0.0.1"]
      }
    return texts.compactMap { IPAddress($0) }
  }

  /// Time that the sender is given.
  func budget(_ sender: OutboundSender) -> Duration {
    switch self {
    case .silent, .slow: .seconds(1)
    case .endless where sender == .mail: .seconds(1)
    default: .seconds(20)
    }
  }

  /// The receiver's side of one connection.
  func serve(_ link: LoopbackConnection, to sender: OutboundSender) {
    if sender.speaksHTTP || self == .brokenTLS { serveHTTP(link, to: sender) } else { serveMail(link) }
    link.waitForEnd()
  }

  private func serveHTTP(_ link: LoopbackConnection, to sender: OutboundSender) {
    let request = self == .brokenTLS ? String(link.read().count) : link.read(until: "\r\n\r\n")
    // The target of a check is well.
    let isTarget = sender == .token && !request.contains(" /token ") && self != .brokenTLS
    if isTarget {
      link.write(sender.answer(to: request))
      return
    }
    switch self {
    case .firstAddressDead, .nameGone: link.write(sender.answer(to: request))
    case .redirectInward:
      link.write("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
    case .silent: break
    case .slow: link.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    case .endless:
      link.write("HTTP/1.1 200 OK\r\n\r\n")
      while link.write([UInt8](repeating: 0x78, count: 65_536)) {}
    case .brokenTLS: link.write("HTTP/1.1 400 Bad Request\r\n\r\n")
    case .proxy:
      link.write(
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"
          + "Content-Length: 0\r\n\r\n")
    case .tooMany:
      link.write("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
    case .unavailable:
      link.write("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
    }
  }

  /// SMTP has replies of its own for what HTTP has statuses for.
  private func serveMail(_ link: LoopbackConnection) {
    switch self {
    case .silent: return
    case .slow:
      link.write("220 a")
      return
    case .endless:
      while link.write("220-more\r\n") {}
      return
    default: break
    }
    link.write("220 a\r\n")
    link.read(until: "\r\n")
    link.write("250 a\r\n")
    link.read(until: "\r\n")
    if let refusal = [Trouble.proxy: "530 log in first", .unavailable: "421 busy"][self] {
      link.write("\(refusal)\r\n")
      return
    }
    link.write("250 ok\r\n")
    link.read(until: "\r\n")
    if let refusal = [Trouble.redirectInward: "551 not here", .tooMany: "451 later"][self] {
      link.write("\(refusal)\r\n")
      return
    }
    link.write("250 ok\r\n")
    link.read(until: "\r\n")
    link.write("354 go on\r\n")
    link.read(until: "\r\n.\r\n")
    link.write("250 taken\r\n")
    link.read(until: "\r\n")
    link.write("221 bye\r\n")
  }
}
