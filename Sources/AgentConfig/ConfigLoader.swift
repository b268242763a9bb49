// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization
import YAML

/// A configuration that can be run, and what was noticed on the way.
package struct LoadedConfig: Hashable, Sendable {
  package var settings: Settings
  package var warnings: [ConfigProblem]
  /// Values that are credentials of the service, and were not there to be read: what they belong to is left out.
  package var unread: [ConfigProblem] = []
  /// The files that it was read from.
  package var origin: ConfigOrigin
  /// Lists that can shrink without an edit of the configuration: a guard looks at them before a reload.
  package var lists: [ConfigList]
  /// Targets of `discover` that make no check; warnings say why.
  package var targetsLeftOut = 0
}

/// The entries a pattern matches now: files of an `include`, targets of a `discover`.
package struct ConfigList: Hashable, Sendable {
  package var pattern: String
  /// The entries' noun, in the plural.
  package var what: String
  package var names: Set<ByteText>

  package init(pattern: String, what: String, names: Set<ByteText>) {
    (self.pattern, self.what, self.names) = (pattern, what, names)
  }
}

/// The files of a configuration, for watching them.
package struct ConfigOrigin: Hashable, Sendable {
  /// Absolute, or relative to the working directory: the main file first, then what was included, then secrets and
  /// bodies.
  package var files: [String]
  /// The patterns of `include`, of which new files may come.
  package var patterns: [String]
}

/// Inputs of a configuration besides its own text.
package struct ConfigSources: Sendable {
  package var environment: [String: String]
  package var secrets: SecretFiles
  /// The default of `agent.name`.
  package var hostName: String
  package var patterns: PatternRule
  package var zones: TimeZoneFiles
  package var files: ConfigFiles
  package var credentials = CredentialRule.needed

  package init(
    environment: [String: String], secrets: SecretFiles, hostName: String, patterns: PatternRule = .unchecked,
    zones: TimeZoneFiles = TimeZoneFiles(), files: ConfigFiles = .disk
  ) {
    self.environment = environment
    self.secrets = secrets
    self.hostName = hostName
    self.patterns = patterns
    self.zones = zones
    self.files = files
  }
}

/// The way from agent.yaml to `Settings`.
package enum ConfigLoader {
  /// Reads the file and everything it refers to. Blocks for as long as the disk does.
  ///
  /// - Parameter patterns: judges the regular expressions.
  /// - Throws: every problem found, never only the first.
  package static func load(
    path: String, environment: [String: String], patterns: PatternRule, credentials: CredentialRule = .needed
  ) throws(ConfigErrors) -> LoadedConfig {
    let touched = Mutex<[String]>([])
    var sources = ConfigSources(
      environment: environment, secrets: .disk.noting { path in touched.withLock { $0.append(path) } },
      hostName: hostName(), patterns: patterns)
    sources.credentials = credentials
    var loaded = try parse(bytes: sources.files.read(path), file: path, sources: sources)
    for file in touched.withLock(\.self) where !loaded.origin.files.contains(file) {
      loaded.origin.files.append(file)
    }
    return loaded
  }

  /// Where the values of a check come from.
  ///
  /// - Parameter question: a check's name or id, alone or with a dot and a key behind it.
  /// - Returns: nil where there is no such check or key.
  /// - Throws: every problem of the configuration.
  package static func explain(
    _ question: String, path: String, environment: [String: String], patterns: PatternRule
  ) throws(ConfigErrors) -> ValueExplanation? {
    var sources = ConfigSources(
      environment: environment, secrets: .disk, hostName: hostName(), patterns: patterns)
    sources.credentials = .ofTheService
    let text = try utf8Text(sources.files.read(path), file: path)
    return try ValueExplanation(question, reading(text: text, file: path, sources: sources))
  }

  /// The same for bytes of any origin; `file` is what messages call it, and relative paths are relative to its
  /// directory.
  package static func parse(
    bytes: [UInt8], file: String, sources: ConfigSources
  ) throws(ConfigErrors) -> LoadedConfig {
    let text = try utf8Text(bytes, file: file)
    return try parse(text: text, file: file, sources: sources)
  }

  /// The pure core: no file and no environment but what `sources` gives.
  package static func parse(
    text: String, file: String, sources: ConfigSources
  ) throws(ConfigErrors) -> LoadedConfig {
    try reading(text: text, file: file, sources: sources).loaded
  }

  /// The parts of a configuration, for explaining where a value came from.
  struct Reading {
    var loaded: LoadedConfig
    var files: [ReuseFile]
    var walk: Walk
  }

  static func reading(
    text: String, file: String, sources: ConfigSources
  ) throws(ConfigErrors) -> Reading {
    let tree = try ConfigText.tree(text, file: file)
    let node = tree.node
    let references = References(
      environment: sources.environment, files: sources.secrets, base: directory(of: file),
      credentials: sources.credentials)
    var walk = Walk(file: file, references: references)
    walk.add(tree)
    let main = ReuseFile(node, isMain: true)
    var root = walk.root(main.rest)
    guard case .map = node.content else { throw ConfigErrors(problems: walk.problems) }
    let included = Includes(sources: sources).read(into: &root, &walk)
    let discovered = Discovery(sources: sources).read(root, &walk)
    let files = [main] + included.reuse + discovered.reuse
    walk.checks(of: files, into: &root)
    var builder = SettingsBuilder(
      walk: walk, root: root, hostName: sources.hostName, patterns: sources.patterns,
      zones: sources.zones)
    var settings = builder.settings()
    settings.discover = discovered.sources
    let (problems, warnings) = (builder.walk.problems, builder.walk.sortedWarnings)
    guard problems.isEmpty else {
      // Of a key that is given twice, either value may be meant: not enough to find an agent.
      let readable = tree.problems.isEmpty ? settings : nil
      throw ConfigErrors(problems: problems, warnings: warnings, readable: readable)
    }
    let origin = ConfigOrigin(
      files: [file] + included.files + discovered.files, patterns: included.patterns + discovered.patterns)
    return Reading(
      loaded: LoadedConfig(
        settings: settings, warnings: warnings, unread: builder.walk.unread, origin: origin,
        lists: included.lists + discovered.lists, targetsLeftOut: builder.walk.targetsLeftOut),
      files: files,
      walk: builder.walk)
  }
}

func directory(of file: String) -> String {
  guard let slash = file.lastIndex(of: "/") else { return "." }
  return slash == file.startIndex ? "/" : String(file[..<slash])
}

func utf8Text(_ bytes: [UInt8], file: String) throws(ConfigErrors) -> String {
  if let text = String(validating: bytes, as: UTF8.self) { return text }
  let (line, column) = firstInvalid(bytes)
  throw ConfigErrors(problems: [
    ConfigProblem(
      file: file, line: line, column: column, message: "the file is no valid UTF-8", hint: "save it as UTF-8")
  ])
}

/// Position of the first byte that is no UTF-8; the column counts scalars.
private func firstInvalid(_ bytes: [UInt8]) -> (line: Int, column: Int) {
  var (line, column) = (1, 1)
  var decoder = UTF8()
  var iterator = bytes.makeIterator()
  while case .scalarValue(let scalar) = decoder.decode(&iterator) {
    (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
  }
  return (line, column)
}

private func hostName() -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard gethostname(&buffer, buffer.count - 1) == 0 else { return "quartz-agent" }
  let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  return name.isEmpty ? "quartz-agent" : name
}
