// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Alerts

/// Mail to a server that puts some recipients off.
struct MailSenderTests {
  /// What one server was told: the name in EHLO, and the recipients whose mail it kept.
  private final class Desk: Sendable {
    let hello = Mutex("")
    let kept = Mutex<[String]>([])
    let refusals = Mutex<[String: Int]>([:])

    func serve(_ connection: LoopbackConnection) {
      connection.write("220 mx\r\n")
      var recipient = ""
      while true {
        let line = connection.read(until: "\r\n")
        guard !line.isEmpty else { return }
        switch line.prefix(4).uppercased() {
        case "EHLO":
          hello.withLock { $0 = String(line.dropFirst(5).prefix { $0 != "\r\n" }) }
          connection.write("250 mx\r\n")
        case "RCPT":
          recipient = String(line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
          connection.write(answer(recipient))
        case "DATA":
          connection.write("354 go on\r\n")
          _ = connection.read(until: "\r\n.\r\n")
          kept.withLock { $0.append(recipient) }
          connection.write("250 kept\r\n")
        case "QUIT":
          connection.write("221 bye\r\n")
          return
        default: connection.write("250 ok\r\n")
        }
      }
    }

    /// 452 the first time for `later`, 550 for `gone`.
    private func answer(_ recipient: String) -> String {
      if recipient.hasPrefix("gone") { return "550 no such user\r\n" }
      guard recipient.hasPrefix("later") else { return "250 ok\r\n" }
      return refusals.withLock { refusals in
        refusals[recipient, default: 0] += 1
        return refusals[recipient] == 1 ? "452 too many recipients\r\n" : "250 ok\r\n"
      }
    }
  }

  private func send(
    _ recipients: [String], to desk: Desk, times: Int
  ) async throws -> [SendOutcome] {
    let server = try LoopbackServer { desk.serve($0) }
    defer { server.stop() }
    var mail = MailChannel(
      server: Endpoint(host: "127.0.0.1", port: server.port), security: .none, sender: "q@x.example",
      recipients: recipients)
    mail.hello = "agent.example.com"
    let channel = AlertChannel(name: "mail", kind: .mail(mail))
    let message = MessageWriter(agent: "a", region: nil, pageURL: nil).sample(.opened, channel, now: after(0))
    return try await withCurlEngine { engine in
      let sender = ChannelSender(.test(engine), .egress(EgressSettings()))
      var outcomes: [SendOutcome] = []
      var rest: [String]?
      for _ in 0..<times {
        let outcome = await sender.send(message, by: channel, to: rest)
        outcomes.append(outcome)
        if case .partly(_, let remaining, _, _) = outcome { rest = remaining }
      }
      return outcomes
    }
  }

  /// Two of three take it once; the third gets it again, alone, and takes it then.
  @Test(.timeLimit(.minutes(1))) func twoOfThree() async throws {
    let desk = Desk()
    let all = ["a@x.example", "later@x.example", "c@x.example"]
    let outcomes = try await send(all, to: desk, times: 2)
    #expect(outcomes.count == 2 && outcomes[1] == .delivered)
    guard case .partly(let words, let remaining, nil, true) = outcomes[0] else {
      Issue.record("\(outcomes[0])")
      return
    }
    #expect(
      words.hasSuffix(" deferred later@x.example: 452 too many recipients")
        && remaining == ["later@x.example"])
    #expect(desk.kept.withLock { $0 } == ["a@x.example", "c@x.example", "later@x.example"])
    #expect(desk.hello.withLock { $0 } == "agent.example.com")
  }

  /// One that is gone is named, and keeps no other from it.
  @Test(.timeLimit(.minutes(1))) func oneIsGone() async throws {
    let desk = Desk()
    let outcomes = try await send(["gone@x.example", "b@x.example"], to: desk, times: 1)
    guard case .deliveredBut(let words) = outcomes[0] else {
      Issue.record("\(outcomes[0])")
      return
    }
    #expect(words.hasSuffix(" refused gone@x.example: 550 no such user"))
    #expect(desk.kept.withLock { $0 } == ["b@x.example"])
  }
}
