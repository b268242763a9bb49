// SPDX-License-Identifier: MIT

import Glibc
import Monitoring

/// A configuration that can be run, and what was noticed on the way.
package struct LoadedConfig: Hashable, Sendable {
  package var settings: Settings
  package var warnings: [ConfigProblem]
}

/// What a configuration depends on besides its own text.
package struct ConfigSources: Sendable {
  package var environment: [String: String]
  package var secrets: SecretFiles
  /// The default of `agent.name`.
  package var hostName: String
  package var patterns: PatternRule
  package var zones: TimeZoneFiles

  package init(
    environment: [String: String], secrets: SecretFiles, hostName: String, patterns: PatternRule = .unchecked,
    zones: TimeZoneFiles = TimeZoneFiles()
  ) {
    self.environment = environment
    self.secrets = secrets
    self.hostName = hostName
    self.patterns = patterns
    self.zones = zones
  }
}

/// The way from agent.yaml to `Settings`.
package enum ConfigLoader {
  /// Reads the file and everything it refers to. Blocks for as long as the disk does.
  ///
  /// - Parameter patterns: judges the regular expressions.
  /// - Throws: every problem found, never only the first.
  package static func load(
    path: String, environment: [String: String], patterns: PatternRule
  ) throws(ConfigErrors) -> LoadedConfig {
    let bytes = try readConfig(path)
    let sources = ConfigSources(
      environment: environment, secrets: .disk, hostName: hostName(), patterns: patterns)
    return try parse(bytes: bytes, file: path, sources: sources)
  }

  /// The same for bytes of any origin; `file` is what messages call it, and relative paths are relative to its
  /// directory.
  package static func parse(
    bytes: [UInt8], file: String, sources: ConfigSources
  ) throws(ConfigErrors) -> LoadedConfig {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let (line, column) = firstInvalid(bytes)
      throw ConfigErrors(problems: [
        ConfigProblem(
          file: file, line: line, column: column, message: "the file is no valid UTF-8",
          hint: "save it as UTF-8")
      ])
    }
    return try parse(text: text, file: file, sources: sources)
  }

  /// The pure core: no file and no environment but what `sources` gives.
  package static func parse(
    text: String, file: String, sources: ConfigSources
  ) throws(ConfigErrors) -> LoadedConfig {
    var reader = YAMLReader(file: file)
    guard let node = reader.read(text) else { throw ConfigErrors(problems: reader.problems) }
    let references = References(
      environment: sources.environment, files: sources.secrets, base: directory(of: file))
    var walk = Walk(file: file, references: references)
    let root = walk.root(node)
    guard case .map = node.content else { throw ConfigErrors(problems: walk.problems) }
    var builder = SettingsBuilder(
      walk: walk, root: root, hostName: sources.hostName, patterns: sources.patterns,
      zones: sources.zones)
    let settings = builder.settings()
    let warnings = inOrder(builder.walk.warnings)
    guard builder.walk.problems.isEmpty else {
      throw ConfigErrors(problems: inOrder(builder.walk.problems), warnings: warnings)
    }
    return LoadedConfig(settings: settings, warnings: warnings)
  }

  /// By place; two problems of one place stay in the order they were found in.
  private static func inOrder(_ problems: [ConfigProblem]) -> [ConfigProblem] {
    problems.enumerated().sorted { left, right in
      (left.element.line, left.element.column, left.offset) < (
        right.element.line, right.element.column, right.offset
      )
    }.map(\.element)
  }
}

private func directory(of file: String) -> String {
  guard let slash = file.lastIndex(of: "/") else { return "." }
  return slash == file.startIndex ? "/" : String(file[..<slash])
}

private func readConfig(_ path: String) throws(ConfigErrors) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
  guard descriptor >= 0 else { throw unreadable(path, errno) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  while bytes.count <= YAMLReader.maxSize {
    let (chunk, failure) = readChunk(descriptor)
    if let failure { throw unreadable(path, failure) }
    if chunk.isEmpty { return bytes }
    bytes += chunk
  }
  throw ConfigErrors(problems: [ConfigProblem(file: path, message: "the file is larger than 1 MiB")])
}

private func unreadable(_ path: String, _ code: Int32) -> ConfigErrors {
  let (message, hint): (String, String?) =
    switch code {
    case ENOENT:
      ("the file does not exist", "copy agent.yaml.example to \(path), or name another file with --config")
    case EACCES, EPERM: ("the file may not be read by this user", "see its owner and mode with ls -l")
    case EISDIR: ("this is a directory", "name the file in it")
    default: ("the file cannot be read: \(String(cString: strerror(code)))", nil)
    }
  return ConfigErrors(problems: [ConfigProblem(file: path, message: message, hint: hint)])
}

/// Where the first byte that is no UTF-8 stands; the column counts scalars.
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
