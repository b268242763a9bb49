// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import Testing

/// What people are told to do, and the page that tells them more.
@Suite struct AdviceTests {
  @Test(arguments: Reason.allCases)
  func adviceIsALineWithoutAFullStop(reason: Reason) {
    guard let advice = reason.advice() else { return }
    #expect(advice.first?.isLowercase == true)
    #expect(advice.last != ".")
    #expect(advice == advice.printable(maxBytes: 120))
  }

  /// It says what to do: what happened was said by the message before it.
  @Test(arguments: Reason.allCases)
  func adviceIsSomethingToDo(reason: Reason) {
    let verbs = ["add", "ask", "check", "compare", "raise", "renew", "see", "serve", "stop", "upgrade"]
    for phase in Phase.allCases {
      guard let advice = reason.advice(in: phase) else { continue }
      let first = advice.prefix { $0 != " " }
      #expect(verbs.contains(String(first)), "\(reason.rawValue): \(advice)")
    }
  }

  /// Who reads the explanation is not sent to it, and hears all other advice.
  @Test(arguments: Reason.allCases)
  func adviceThatLeadsToTheExplanationIsNotPartOfIt(reason: Reason) {
    for phase in [nil, Phase.dns, .transfer] {
      let advice = reason.advice(in: phase)
      let leadsThere = advice?.contains("--explain") == true
      #expect(reason.advice(in: phase, isExplained: true) == (leadsThere ? nil : advice))
    }
  }

  /// Of reasons and messages that belong together: nothing that a target sends is taken for a cause.
  @Test(
    arguments: [
      (
        Reason.connectUnreachable, "x:1: administratively prohibited by a firewall on the way",
        "open the rule"
      ),
      (
        .connectUnreachable, "x:1: no route to host (x is on this machine's own network, and no host)",
        "see whether the host is on"
      ),
      (
        .tlsTimeout, "x; 3 segments were sent again: packets are lost on the way, all or only large ones",
        "see whether large"
      ),
      (.transferTimeout, "x; packets may be lost on the way, all or only large ones", "see whether large"),
      (.httpStatus, "status 503, expected 200-299, through the proxy p:1", "see the proxy's log"),
      (.firstByteTimeout, "x:80, through the proxy p:1: no answer came", "see the proxy's log"),
      (.tlsHandshake, "x: the server ended tls with alert 112: unrecognized name", "see the server's log"),
      (.tlsHandshake, "x: tls handshake failed: certificates of more than 100 KiB", "send fewer"),
      (.tlsHandshake, "x: tls handshake failed: wrong version number", "see whether TLS is spoken"),
      (.httpProtocol, "x: no HTTP status line came: another protocol", "see whether HTTP is spoken"),
      (.localFault, "no route from this machine to x", "see the routes"),
      (.localFault, "the routing table of this machine prohibits x", "see the routes"),
      (.localFault, "needs the credential \"a\", which only the service can read", "ask the running agent"),
      (.connectUnreachable, "x:1: no route to host", "see who on the way"),
      (.body, "x: administratively prohibited", "see what came"), (.localFault, nil, "see what this machine"),
    ] as [(Reason, String?, String)])
  func aNarrowCauseHasItsOwnAdvice(reason: Reason, message: String?, words: String) throws {
    let advice = try #require(reason.advice(of: message))
    #expect(advice.hasPrefix(words), "\(advice)")
    #expect(advice.last != "." && advice == advice.printable(maxBytes: 120))
    // While a name is resolved, it is about the name server.
    #expect(reason.advice(in: .dns, of: message) == reason.advice(in: .dns))
  }

  /// The page for people has a row for each, which quotes its words.
  @Test func everyNarrowCauseIsDocumented() throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/troubleshooting.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
    for cause in NarrowCause.allCases {
      let row = try #require(rows.first { $0.contains("\"\(cause.rawValue)\"") }, "\(cause.rawValue)")
      for reason in Reason.allCases where NarrowCause(reason, cause.rawValue) != nil {
        #expect(row.contains("`\(reason.rawValue)`"), "\(cause.rawValue), \(reason.rawValue)")
      }
    }
    #expect(ConnectionWords.prohibited.contains(NarrowCause.prohibited.rawValue))
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func everyReasonIsDocumented() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/results.md"), encoding: .utf8)
    for reason in Reason.allCases {
      #expect(page.contains("`\(reason.rawValue)`"), "\(reason.rawValue) is not in docs/results.md")
    }
    for phase in Phase.allCases {
      #expect(page.contains("`\(phase.rawValue)`"), "\(phase.rawValue) is not in docs/results.md")
    }
  }
}
