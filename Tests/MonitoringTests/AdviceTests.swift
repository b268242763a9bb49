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

  @Test func everyReasonIsDocumented() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/results.md"), encoding: .utf8)
    for reason in Reason.allCases {
      #expect(page.contains("`\(reason.rawValue)`"), "\(reason.rawValue) is not in docs/results.md")
    }
    for phase in Phase.allCases {
      #expect(page.contains("`\(phase.rawValue)`"), "\(phase.rawValue) is not in docs/results.md")
    }
  }
}
