// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Glibc
import Import
import Monitoring

/// The new agent.yaml, which is valid: a check that the configuration's own judge refuses becomes a comment with its words.
struct ImportDocument {
  private(set) var text = ""
  private(set) var checks: [ImportedCheck]
  /// Checks that cannot be, and why.
  private(set) var refused: [ImportNote] = []
  private let imported: Imported
  /// The folder of secrets, by its name beside the output; nil: they are variables.
  private let folder: String?
  private var secrets: [(name: String, value: Redacted)] = []

  /// Values that were not carried over; those of a refused check among them.
  var listed: Int { imported.listed + refused.count }

  init(_ imported: Imported, output: String?) {
    self.imported = imported
    checks = imported.checks
    folder = output.map { ($0.split(separator: "/").last.map(String.init) ?? "agent.yaml") + ".secrets" }
    render()
    guard !isTooLarge else { return }
    // The judge names a hundred problems at most: so few checks at a time that it names each.
    let all = checks
    checks = []
    for start in stride(from: 0, to: all.count, by: 50) {
      checks += valid(Array(all[start..<min(start + 50, all.count)]))
    }
    render()
    guard !isTooLarge, let problem = problems(text).first?.value else { return }
    for check in checks { refuse(check, problem) }
    checks = []
    render()
  }

  /// Without those that the judge refuses. Each round refuses at least one.
  private mutating func valid(_ checks: [ImportedCheck]) -> [ImportedCheck] {
    var checks = checks
    while !checks.isEmpty {
      var yaml = AgentYAML(secrets: .environment)
      let problems = problems(yaml.render(checks, head: []))
      guard !problems.isEmpty else { break }
      for (index, check) in checks.enumerated() {
        if let why = problems[index] { refuse(check, why) }
      }
      checks = checks.enumerated().filter { problems[$0.offset] == nil }.map(\.element)
    }
    return checks
  }

  private mutating func render() {
    var yaml = AgentYAML(secrets: folder.map { .files($0) } ?? .environment)
    text = yaml.render(checks, head: head)
    secrets = yaml.values
  }

  /// More than a configuration may have.
  var isTooLarge: Bool { text.utf8.count > YAMLReader.maxSize }

  /// What was not carried and belongs to no check: so much that the file can be read.
  var reasons: [String] {
    let most = 5000
    let lines =
      imported.notes.prefix(most).map { "not carried: \($0.place): \($0.why)" }
      + refused.prefix(most).map { "no check was made of \($0.place): \($0.why)" }
    let left = max(0, imported.notes.count - most) + max(0, refused.count - most)
    return left > 0 ? lines + ["not carried: and \(left) more"] : lines
  }

  private var head: [String] {
    var lines = [
      "Made by quartz-agent import \(imported.format.rawValue). Look through what stands in comments."
    ]
    if folder == nil, !secrets.isEmpty {
      lines.append("Set before the start: " + secrets.prefix(40).map(\.name).joined(separator: " "))
    }
    return lines + reasons
  }

  /// What the judge of agent.yaml says, by the place of the check in the list.
  private func problems(_ text: String) -> [Int: String] {
    let nothing = SecretFiles(
      read: { _ throws(SecretFiles.Note) in SecretFiles.Contents(text: Self.standIn) },
      readBody: { _ throws(SecretFiles.Note) in Self.standIn })
    var environment = [String: String]()
    for name in text.variables { environment[name] = Self.standIn }
    let sources = ConfigSources(
      environment: environment, secrets: nothing, hostName: "import", patterns: Pattern.rule)
    do throws(ConfigErrors) {
      _ = try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources)
      return [:]
    } catch {
      var found: [Int: String] = [:]
      let starts = Self.checkLines(text)
      // What has no line is of the whole file, and says how many more there are.
      for problem in error.problems where problem.line > 0 {
        let index = max(0, starts.count { $0 <= problem.line } - 1)
        if found[index] == nil { found[index] = problem.message.printable(maxBytes: 300) }
      }
      if found.isEmpty { found[0] = error.problems[0].message.printable(maxBytes: 300) }
      return found
    }
  }

  /// The checks as an agent would have them, in the order of `checks`; for a document whose secrets are variables.
  ///
  /// - Parameter file: what paths of the checks are relative to.
  func loaded(as file: String) throws(ConfigErrors) -> [MonitoringCheck] {
    // own text: names that we made
    var environment: [String: String] = [:]
    for secret in secrets { environment[secret.name] = secret.value.reveal() }
    let sources = ConfigSources(
      environment: environment, secrets: .disk, hostName: "import", patterns: Pattern.rule)
    return try ConfigLoader.parse(text: text, file: file, sources: sources).settings.checks
  }

  /// What a secret is while its own value is nobody's business.
  private static let standIn = "stand-in-of-a-secret-value"

  /// The lines on which checks begin, from 1.
  private static func checkLines(_ text: String) -> [Int] {
    var lines: [Int] = []
    for (number, line) in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated()
    where line.starts(with: "  - name: ".utf8) {
      lines.append(number + 1)
    }
    return lines
  }

  private mutating func refuse(_ check: ImportedCheck, _ why: String) {
    refused.append(ImportNote(place: "\"\(check.name.printable(maxBytes: 200))\"", why: why))
  }

  /// The file, and its secrets beside it.
  func write(to path: String) throws(UnreadableFile) {
    if let folder, !secrets.isEmpty {
      let base =
        path.contains("/") ? String(path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)) : ""
      let directory = base + folder
      guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
        throw UnreadableFile(directory, String(cString: strerror(errno)))
      }
      for secret in secrets {
        try writeWhole("\(directory)/\(secret.name)", Array(secret.value.reveal().utf8))
      }
    }
    try writeWhole(path, Array(text.utf8))
  }

  func summary(_ imported: Imported) -> [String] {
    let count = checks.count
    var lines = [
      "quartz-agent: \(imported.format.rawValue): \(count) \(count == 1 ? "check" : "checks"); "
        + "\(imported.total) values: \(imported.carried) carried, \(imported.listed) listed with the reason"
    ]
    if !refused.isEmpty {
      lines.append("quartz-agent: \(refused.count) could not become checks; the comments at the top say why")
    }
    if !secrets.isEmpty {
      lines.append(
        folder.map { "quartz-agent: secrets: \(secrets.count), in \($0)/, for the agent's user alone" }
          ?? "quartz-agent: secrets: \(secrets.count), expected in the environment; the comment at the top names them"
      )
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
