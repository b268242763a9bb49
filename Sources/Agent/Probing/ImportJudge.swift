// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Import
import Monitoring

/// Verdict of the judge of agent.yaml on a document: with its secrets as they are, and stand-ins for the source's variables.
package enum ImportJudge {
  /// A variable of the source may be any text, a number, an address or a proxy.
  private static let standIns = [
    "stand-in-of-a-value", "8080", "https://stand-in.example/a", "http://stand-in.example:8080",
  ]

  /// By the place of the check in the list.
  package static func problems(_ checks: [ImportedCheck], _ sections: ImportedSections = ImportedSections())
    -> [Int:
    String]
  {
    var yaml = AgentYAML(secrets: .files("s"))
    let text = yaml.render(checks, sections: sections, head: [])
    let values = Dictionary(
      yaml.values.map { (ByteText("s/\($0.name)"), $0.value) }, uniquingKeysWith: { first, _ in first })
    let found = problems(text, values, standIns[0])
    guard !found.isEmpty, !text.variables.isEmpty else { return found }
    return standIns.dropFirst().reduce(found) { found, standIn in
      guard !found.isEmpty else { return found }
      let others = problems(text, values, standIn)
      return found.filter { others[$0.key] != nil }
    }
  }

  private static func problems(_ text: String, _ values: [ByteText: Redacted], _ standIn: String) -> [Int:
    String]
  {
    let secrets = SecretFiles(
      read: { path throws(SecretFiles.Note) in
        // A file of the source's own is not read.
        SecretFiles.Contents(text: values[ByteText(path)]?.reveal() ?? standIn)
      },
      readBody: { _ throws(SecretFiles.Note) in standIn })
    // own text
    var environment = [String: String]()
    for name in text.variables { environment[name] = standIn }
    let sources = ConfigSources(
      environment: environment, secrets: secrets, hostName: "import", patterns: Pattern.rule)
    do throws(ConfigErrors) {
      _ = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources)
      return [:]
    } catch {
      var found: [Int: String] = [:]
      let starts = checkLines(text)
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

extension String {
  /// The names behind `${env:`.
  fileprivate var variables: [String] {
    var names: [String] = []
    var rest = Array(utf8)[...]
    let mark = Array("${env:".utf8)
    while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
      rest = rest[dollar...]
      if rest.starts(with: mark) {
        names.append(
          String(decoding: rest.dropFirst(mark.count).prefix { $0 != UInt8(ascii: "}") }, as: UTF8.self))
      }
      rest = rest.dropFirst()
    }
    return names
  }
}
