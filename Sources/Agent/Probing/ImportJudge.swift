// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Import
import Monitoring

/// Verdict of the judge of agent.yaml on a document: with its secrets as they are, and stand-ins for the source's variables.
package enum ImportJudge {
  /// A variable of the source may be any text, a number, an address or a proxy.
  private static let standIns = [
    "stand-in-of-a-value", "8080", "https://stand-in.example/a", "http://stand-in.example:8080",
  ]

  /// By the place of the check in the list.
  package static func problems(
    _ checks: [ImportedCheck], _ sections: ImportedSections = ImportedSections()
  ) -> [Int: String] {
    let document = JudgedDocument(checks, sections)
    let found = problems(document, standIns[0])
    guard !found.isEmpty, !document.variables.isEmpty else { return found }
    return standIns.dropFirst().reduce(found) { found, standIn in
      guard !found.isEmpty else { return found }
      let others = problems(document, standIn)
      return found.filter { others[$0.key] != nil }
    }
  }

  /// The checks that the loader makes; `nil`: it refuses the document.
  package static func loaded(_ checks: [ImportedCheck], _ sections: ImportedSections) -> [MonitoringCheck]? {
    try? JudgedDocument(checks, sections).load(standIns[0]).settings.checks
  }

  private static func problems(_ document: JudgedDocument, _ standIn: String) -> [Int: String] {
    do throws(ConfigErrors) {
      _ = try document.load(standIn)
      return [:]
    } catch {
      var found: [Int: String] = [:]
      let starts = checkLines(document.text)
      // What has no line is of the whole file, and says how many more there are.
      for problem in error.problems where problem.line > 0 {
        let index = max(0, starts.count { $0 <= problem.line } - 1)
        if found[index] == nil { found[index] = problem.message.printable(maxBytes: 300) }
      }
      if found.isEmpty { found[0] = error.problems[0].message.printable(maxBytes: 300) }
      return found
    }
  }

  /// The lines on which checks begin, from 1.
  private static func checkLines(_ text: String) -> [Int] {
    var lines: [Int] = []
    for (number, line) in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated()
    where line.starts(with: "  - name: ".utf8) {
      lines.append(number + 1)
    }
    return lines
  }
}
