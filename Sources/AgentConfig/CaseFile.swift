// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import YAML

/// A file of cases for `quartz-agent test`: given this answer, a check says that.
package struct CaseFile: KeyedSettings {
  package var cases: [CheckCase] = []

  package init() {}

  package static let keys: [Key<CaseFile>] = [
    Key(
      "cases", .list(.map(KeyTable(CheckCase.keys))), "The cases",
      read: { file, given, reader in
        for item in given.list ?? [] {
          guard let map = item.map else { continue }
          var made = CheckCase()
          made.position = item.position
          if reader.read(map, into: &made, ["cases"]) { file.cases.append(made) }
        }
      }, print: { _, _ in })
  ]

  /// Cases of one file at most.
  package static let most = 10_000

  /// - Throws: every problem found.
  package static func load(
    path: String, environment: [String: String]
  ) throws(ConfigErrors) -> CaseFile {
    // Read as a configuration is; where there is none, its hint would be about a configuration.
    guard access(path, F_OK) == 0 || errno != ENOENT else {
      throw ConfigErrors(problems: [
        ConfigProblem(
          file: path, message: "the file does not exist",
          hint: "name a file of cases; docs/configuration.md shows one")
      ])
    }
    return try parse(
      text: utf8Text(ConfigFiles.disk.read(path), file: path), file: path, environment: environment)
  }

  package static func parse(
    text: String, file: String, environment: [String: String]
  ) throws(ConfigErrors) -> CaseFile {
    let tree = try ConfigText.tree(text, file: file, start: "begin it with cases:")
    var walk = Walk(
      file: file, references: References(environment: environment, files: .disk, base: directory(of: file)))
    walk.add(tree)
    let map = walk.document(tree.node, KeyTable(keys))
    var cases = CaseFile()
    _ = walk.reader.read(map, into: &cases, [])
    if walk.problems.isEmpty, !(1...most).contains(cases.cases.count) {
      walk.problem(
        tree.node.position, "there are \(cases.cases.count) cases, 1 to \(most) are possible",
        hint: "begin the file with cases:")
    }
    guard walk.problems.isEmpty else { throw ConfigErrors(problems: walk.problems) }
    return cases
  }
}

/// One case.
package struct CheckCase: KeyedSettings {
  package var name = ""
  package var check = ""
  package var answer = CaseAnswer()
  package var expect = CaseExpectation()
  package var position = Position(line: 0, column: 0)

  package init() {}

  package static let keys: [Key<CheckCase>] = [
    Key(\.name, "name", .text, "Name of the case", required: "such as name: a slow answer is degraded"),
    Key(
      \.check, "check", .text, "Name or id of a check of the configuration",
      required: "such as check: Shop front"),
    Key(section: \.answer, "answer", "The answer; omitted keys are those of a target that works"),
    Key(section: \.expect, "expect", "The expected verdict"),
  ]
}

/// `answer` of a case.
package struct CaseAnswer: KeyedSettings {
  package var error: String?
  package var time: Duration = .milliseconds(10)
  /// Whole days from now; nil: a good one, or none.
  package var certificateDays: Int?
  package var status = 200
  package var httpVersion = "1.1"
  package var headers: [(name: String, value: String)] = []
  package var body: String?
  package var rcode = "NOERROR"
  package var answers: [String] = []
  package var ttl = 300
  package var authoritative = true
  package var received: Int?
  package var roundTrip: Duration = .milliseconds(10)

  package init() {}

  package static let keys: [Key<CaseAnswer>] = [
    Key(
      \.error, "error", .word(among: Reason.rehearsable.map(\.rawValue)),
      "Failure in place of a whole answer: a reason such as `connect_refused` or `tls_expired`"),
    Key(\.time, "time", .duration(.zero ... .seconds(3600)), "Duration of the attempt"),
    Key(
      \.certificateDays, "certificate_days", .integer(-36_500...36_500),
      "Days until the certificate ends; negative: it has ended", default: "365"),
    Key(\.status, "status", .integer(100...599), "http: of the last answer, behind all redirects"),
    Key(\.httpVersion, "http_version", .word(among: ["1.0", "1.1", "2"]), "http"),
    Key(
      "headers", .headers, "http", default: "none",
      read: { answer, given, _ in
        answer.headers = (given.map?.entries ?? []).map { ($0.name, $0.value.text ?? "") }
      }, print: { _, _ in }),
    Key(\.body, "body", .text, "http", default: "empty"),
    Key(\.rcode, "rcode", .text, "dns: the response code's mnemonic"),
    Key(\.answers, "answers", .list(.text), "dns: data of the records asked for, such as 192.0.2.1"),
    Key(\.ttl, "ttl", .integer(0...2_147_483_647), "dns: of the records, in seconds"),
    Key(\.authoritative, "authoritative", .flag, "dns: the server has the zone"),
    Key(\.received, "received", .integer(0...100), "ping: replies to the check's packets", default: "all"),
    Key(\.roundTrip, "rtt", .duration(.zero ... .seconds(3600)), "ping: of each reply"),
  ]
}

/// `expect` of a case: what is not said is not looked at.
package struct CaseExpectation: KeyedSettings {
  package var state: String?
  package var reason: String?
  /// A part of the message.
  package var message: String?

  package init() {}

  package static let keys: [Key<CaseExpectation>] = [
    Key(\.state, "state", .word(among: CheckState.allCases.map(\.rawValue)), "The state of one attempt"),
    Key(\.reason, "reason", .word(among: Reason.allCases.map(\.rawValue)), "Its reason; `ok` for none"),
    Key(\.message, "message", .text, "A part of the message"),
  ]
}
