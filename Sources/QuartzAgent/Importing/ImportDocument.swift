// SPDX-License-Identifier: MIT

import Agent
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
  private(set) var sections = ImportedSections()
  /// Entries that became neither a check nor an entry of another list, with the reason.
  private(set) var leftOut: [LeftOut]
  /// Values that were carried into what was left out.
  private var lost = 0
  private let imported: Imported
  /// The notes of no check.
  private let general: [String]
  /// The folder of secrets, by its name beside the output; nil: they are variables.
  private let folder: String?
  private var secrets: [(name: String, value: Redacted)] = []

  /// Values that are in the file.
  var carried: Int { imported.carried - lost }
  /// Values that are not.
  var listed: Int { imported.total - carried }

  /// Whether the file means what the source means.
  var isWhole: Bool {
    listed == 0 && leftOut.isEmpty && changes.isEmpty && !imported.notes.contains { $0.change != nil }
  }

  /// - Parameter fixesTargets: no list of targets is read by `discover`; its targets are checks.
  init(_ imported: Imported, output: String?, fixesTargets: Bool = false) {
    self.imported = imported
    general = ImportNote.folded(imported.notes.filter { !$0.isOfLeftOut })
    var lists = ImportedLists(imported.sections.discover, fixesAll: fixesTargets)
    (checks, leftOut) = (imported.checks + lists.fixed, imported.leftOut)
    folder = output.map { ($0.split(separator: "/").last.map(String.init) ?? "agent.yaml") + ".secrets" }
    render()
    guard !isTooLarge else { return }
    checks = ImportedCheck.linked(validInParts(checks))
    let (sections, refused) = ImportSections(imported.sections, checks).valid()
    self.sections = sections
    for entry in refused { refuse(entry.entry, entry.why) }
    self.sections.discover = lists.kept
    let wanted = lists.kept.reduce(checks.count) { $0 + $1.targets.count }
    if !lists.kept.isEmpty, ImportJudge.loaded(checks, self.sections)?.count != wanted {
      checks += validInParts(lists.fixAll())
      self.sections.discover = []
    }
    lost += lists.lost
    render()
    guard !isTooLarge, let problem = ImportJudge.problems(checks, self.sections).first?.value else { return }
    for entry in self.sections.entries { refuse(entry, problem) }
    self.sections = ImportedSections()
    render()
    guard let problem = ImportJudge.problems(checks).first?.value else { return }
    for check in checks { refuse(check, problem) }
    checks = []
    render()
  }

  /// The judge names a hundred problems at most: so few checks at a time that it names each.
  private mutating func validInParts(_ all: [ImportedCheck]) -> [ImportedCheck] {
    var kept: [ImportedCheck] = []
    for start in stride(from: 0, to: all.count, by: 50) {
      kept += valid(Array(all[start..<min(start + 50, all.count)]))
    }
    return kept
  }

  /// Without those that the judge refuses. Each round refuses at least one, or has its certificate verified.
  private mutating func valid(_ checks: [ImportedCheck]) -> [ImportedCheck] {
    var checks = checks
    while !checks.isEmpty {
      var problems = ImportJudge.problems(checks)
      guard !problems.isEmpty else { break }
      for (index, why) in problems {
        // A login or a client certificate is shown to a server that is verified only.
        guard let verified = checks[index].verified(why), ImportJudge.problems([verified]).isEmpty else {
          continue
        }
        (checks[index], problems[index]) = (verified, nil)
      }
      for (index, check) in checks.enumerated() {
        if let why = problems[index] { refuse(check, why) }
      }
      checks = checks.enumerated().filter { problems[$0.offset] == nil }.map(\.element)
    }
    return checks
  }

  private mutating func render() {
    let known = secrets.map(\.name)
    var yaml = AgentYAML(secrets: folder.map { .files($0) } ?? .environment)
    text = yaml.render(checks, sections: sections, head: head)
    secrets = yaml.values
    // The head names the secrets, which are known when the rest is written.
    guard folder == nil, secrets.map(\.name) != known else { return }
    yaml = AgentYAML(secrets: .environment)
    text = yaml.render(checks, sections: sections, head: head)
  }

  /// More than a configuration may have.
  var isTooLarge: Bool { text.utf8.count > ConfigText.maxSize }

  /// Values that were not carried and belong to no check: so many that the file stays readable.
  var reasons: [String] {
    let most = 5000
    let lines = leftOutLines.prefix(most) + general.prefix(most)
    let left = max(0, general.count - most) + max(0, leftOut.count - most)
    return left > 0 ? lines + ["not carried: and \(left) more"] : Array(lines)
  }

  private var leftOutLines: [String] { leftOut.map(\.line) }

  private var head: [String] {
    var lines = [
      "Made by quartz-agent import \(imported.format.rawValue). Read the settings in comments."
    ]
    if folder == nil, !secrets.isEmpty {
      lines.append("Set before the start: " + secrets.prefix(40).map(\.name).joined(separator: " "))
    }
    return lines + reasons
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

  private mutating func refuse(_ check: ImportedCheck, _ why: String) {
    leftOut.append(LeftOut(name: check.name, why: why, values: check.carried))
    lost += check.carried
  }

  /// The folder of secrets of a file at this path.
  private func directory(_ folder: String, beside path: String) -> String {
    (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + folder
  }

  /// Files of the folder of secrets that the document does not name.
  func unusedSecrets(beside path: String) -> [String] {
    guard let folder else { return [] }
    let used = Set(secrets.map { ByteText($0.name) })
    let names = fileNames(in: directory(folder, beside: path)).filter { !$0.hasPrefix(".") }
    return names.filter { !used.contains(ByteText($0)) }.sorted().map {
      "\(folder)/\($0)".printable(maxBytes: 300)
    }
  }

  /// The file, and its secrets beside it.
  func write(to path: String) throws(UnreadableFile) {
    if let folder, !secrets.isEmpty {
      let directory = directory(folder, beside: path)
      guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
        throw UnreadableFile(directory, String(cString: strerror(errno)))
      }
      for secret in secrets {
        try writeWhole("\(directory)/\(secret.name)", Array(secret.value.reveal().utf8))
      }
    }
    try writeWhole(path, Array(text.utf8))
  }
}

// Terminal output and report.
extension ImportDocument {
  private var entries: [ImportedCheck] { checks + sections.entries }

  /// How many checks and other entries became what.
  private var changes: [(change: ImportNote.Change, count: Int)] {
    ImportNote.Change.allCases.compactMap { change in
      let count = entries.count { $0.notes.contains { $0.change == change } }
      return count > 0 ? (change, count) : nil
    }
  }

  /// All that was not carried with the same meaning, a line each.
  var report: [String] {
    leftOutLines
      + entries.flatMap { entry in
        entry.notes.map { "\"\(entry.name.printable(maxBytes: 200))\": \($0.line)" }
      }
      + imported.notes.map(\.line)
  }

  /// At most 40 lines.
  ///
  /// - Parameter report: file that has all of them; `nil` when there is none.
  func summary(report: String?) -> [String] {
    var lines = counts
    let left = 40 - lines.count - 1
    // What is missing or has changed comes first.
    let plain = entries.flatMap { $0.notes.filter { $0.change == nil } }
    let all = leftOutLines + changedLines + ImportNote.folded(plain) + general
    let shown = all.count > left ? left - 1 : left
    lines += all.prefix(shown).map { "  " + $0.printable(maxBytes: 300) }
    if all.count > shown { lines.append("  and \(all.count - shown) more") }
    if let report, !self.report.isEmpty {
      lines.append("quartz-agent: each of them, with its place: \(report.printable(maxBytes: 300))")
    }
    return lines
  }

  /// Changes by reason, with the names.
  private var changedLines: [String] {
    var order: [String] = []
    var names: [ByteText: [String]] = [:]
    for entry in entries {
      for note in entry.notes {
        guard let change = note.change else { continue }
        let words = "\(change.rawValue): \(note.why)"
        if names[ByteText(words)] == nil { order.append(words) }
        let name = "\"\(entry.name.printable(maxBytes: 100))\""
        if names[ByteText(words)]?.last?.utf8.elementsEqual(name.utf8) != true {
          names[ByteText(words), default: []].append(name)
        }
      }
    }
    return order.map { words in
      "\(words): \((names[ByteText(words)] ?? []).andMore(after: 3))"
    }
  }

  private var counts: [String] {
    let count = checks.count
    var lines = [
      "quartz-agent: \(imported.format.rawValue): \(counted(count, "check")); "
        + "\(imported.total) values: \(carried) carried, \(listed) listed with the reason"
    ]
    let others = [
      (sections.channels.count, "channel"), (sections.rules.count, "rule"),
      (sections.windows.count, "maintenance window"), (sections.discover.count, "target list"),
    ].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    if !others.isEmpty { lines.append("quartz-agent: also \(others.joined(separator: ", "))") }
    if !leftOut.isEmpty {
      lines.append("quartz-agent: \(leftOut.count) left out, because nothing here means the same")
    }
    let words = changes.map { "\($0.count) \($0.change.rawValue)" }
    if !words.isEmpty {
      lines.append(
        "quartz-agent: not the same as in the source: \(words.joined(separator: ", ")); see the comments")
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
