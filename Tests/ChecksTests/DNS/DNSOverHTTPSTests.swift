// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import Testing

@testable import Checks

/// Answers of a name server over HTTPS (RFC 8484), without a server.
@Suite struct DNSOverHTTPSTests {
  private static let type = "application/dns-message"
  private static let peer = SocketAddress(.v4(0xc000_0201), port: 443)

  /// The words of a failure with its reason, or nil for a message.
  private func failure(
    status: Int? = 200, type: String? = DNSOverHTTPSTests.type, _ change: (inout [UInt8]) -> Void = { _ in }
  ) throws -> String? {
    let question = DNSQuestion(name: try #require(DNSName("a.example.")), type: .a)
    let query = DNSQuery(id: 0, question: question, recursion: true, edns: false)
    var report = TransferReport(outcome: .complete)
    report.statusCode = status
    if let type { report.headers = [HeaderField("Content-Type", type)] }
    report.body = query.bytes
    report.body[2] |= 0x80
    change(&report.body)
    let client = DNSClient(reactor: try Reactor(), phase: .answer, transport: .doh)
    switch client.content(of: report, Self.peer, query) {
    case .message(let message): return message.question == question ? nil : "another question"
    case .failure(let verdict):
      #expect(verdict.phase == .answer)
      return "\(verdict.reason.rawValue): \(verdict.message ?? "")"
    }
  }

  @Test func statuses() throws {
    for status in [200, 204, 299] { #expect(try failure(status: status) == nil, "\(status)") }
    for status in [199, 300, 302, 404, 500] {
      #expect(
        try failure(status: status)
          == "\(Reason.httpStatus.rawValue): 192.0.2.1:443 answered HTTP \(status), not with a DNS message")
    }
    #expect(try failure(status: nil)?.hasSuffix("answered HTTP no status, not with a DNS message") == true)
  }

  @Test func types() throws {
    for type in [Self.type, "Application/DNS-Message", Self.type + ";x=y", Self.type + " ; x"] {
      #expect(try failure(type: type) == nil, "\(type)")
    }
    let reason = Reason.httpProtocol.rawValue
    for type in ["text/html", Self.type + "s", "application/dns-messag", " " + Self.type + "s"] {
      #expect(
        try failure(type: type)
          == "\(reason): 192.0.2.1:443 answered with another content type, not with application/dns-message")
    }
    for type in [nil, ""] as [String?] {
      #expect(
        try failure(type: type)
          == "\(reason): 192.0.2.1:443 answered without a content type, not with application/dns-message")
    }
  }

  /// Another question's answer, one that says it is cut, and one that is no message.
  @Test func messages() throws {
    let malformed = Reason.dnsMalformed.rawValue
    let other = "\(malformed): 192.0.2.1:443 sent no answer to the question by HTTPS"
    #expect(try failure { $0[1] = 1 } == other && failure { $0[2] &= 0x7f } == other)
    #expect(try failure { $0[13] ^= 2 } == other && failure { $0.removeLast() } == other)
    #expect(
      try failure { $0[2] |= 0x02 }
        == "\(malformed): 192.0.2.1:443 sent an answer by HTTPS that says it is cut")
    #expect(
      try failure { $0[7] = 1 }?.hasPrefix("\(malformed): 192.0.2.1:443 sent a malformed answer: ") == true)
  }
}
