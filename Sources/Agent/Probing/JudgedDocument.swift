// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Import

/// An agent.yaml that is not written yet, with the files that it names: its secrets, and lists of targets.
struct JudgedDocument {
  let text: String
  private let values: [ByteText: Redacted]
  private let lists: ImportedListFiles

  init(_ checks: [ImportedCheck], _ sections: ImportedSections) {
    var sections = sections
    lists = ImportedListFiles(&sections.discover)
    var yaml = AgentYAML(secrets: .files("s"))
    text = yaml.render(checks, sections: sections, head: [])
    values = Dictionary(
      yaml.values.map { (ByteText("s/\($0.name)"), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  var variables: [String] { text.variables }

  /// - Parameter standIn: stands for what the source has elsewhere.
  func load(_ standIn: String) throws(ConfigErrors) -> LoadedConfig {
    let values = values
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
      environment: environment, secrets: secrets, hostName: "import", patterns: Pattern.rule,
      files: lists.files)
    return try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources)
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
