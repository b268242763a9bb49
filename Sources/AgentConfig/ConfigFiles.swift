// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Where configuration files come from: the disk, or a test's own.
package struct ConfigFiles: Sendable {
  /// The paths that match a pattern of `include`, sorted; a path without wildcards is its own match.
  package var expand: @Sendable (String) -> [String]
  /// - Throws: one problem, about the file as a whole.
  package var read: @Sendable (String) throws(ConfigErrors) -> [UInt8]

  /// Whether there is such a file, or one that may not even be looked for: to read it then says so.
  package var isThere: @Sendable (String) -> Bool

  package init(
    expand: @escaping @Sendable (String) -> [String],
    read: @escaping @Sendable (String) throws(ConfigErrors) -> [UInt8],
    isThere: @escaping @Sendable (String) -> Bool = {
      access($0, F_OK) == 0 || errno == EACCES
    }
  ) {
    self.expand = expand
    self.read = read
    self.isThere = isThere
  }

  /// Whether a path has wildcards.
  static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

  /// `**` in a path: other tools go into folders of folders by it, glob(7) does not.
  static func refusesDepth(_ pattern: String, of key: String, at position: Position, _ walk: inout Walk)
    -> Bool
  {
    guard pattern.contains("**") else { return false }
    walk.problem(
      position, "\(key): \(quoted(pattern)): ** does not go into folders of folders",
      hint: "name a pattern for each level, such as conf.d/*.yaml and conf.d/*/*.yaml")
    return true
  }

  package static let disk = ConfigFiles(
    expand: expandPattern, read: { path throws(ConfigErrors) in try readConfig(path) })
}

/// glob(3), sorted by name, without what begins with a dot. Whatever else matches is meant: a link that leads nowhere
/// or a folder is found here and fails when it is read. So does a folder that may not be looked into, which stands for
/// what it holds.
private func expandPattern(_ pattern: String) -> [String] {
  guard ConfigFiles.isPattern(pattern) else { return [pattern] }
  if let closed = closedFolder(of: pattern) { return [closed] }
  var found = glob_t()
  defer { globfree(&found) }
  guard glob(pattern, 0, nil, &found) == 0 else { return [] }
  return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
}

/// The folder before the first wildcard, when it is there and may not be looked into.
private func closedFolder(of pattern: String) -> String? {
  let plain = pattern.prefix { !"*?[".contains($0) }
  let folder = String(plain[..<(plain.lastIndex(of: "/") ?? plain.startIndex)])
  guard let handle = opendir(folder.isEmpty ? "/" : folder) else { return errno == ENOENT ? nil : folder }
  closedir(handle)
  return nil
}

private func readConfig(_ path: String) throws(ConfigErrors) -> [UInt8] {
  let descriptor: Int32
  do throws(GivenFile.Objection) {
    descriptor = try GivenFile.open(path)
  } catch {
    switch error {
    case .failed(let code): throw unreadable(path, code)
    case .isDirectory: throw unreadable(path, EISDIR)
    case .isNoFile:
      throw ConfigErrors(problems: [ConfigProblem(file: path, message: "this is no regular file")])
    }
  }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  while bytes.count <= ConfigText.maxSize {
    let (chunk, failure) = readChunk(descriptor)
    if let failure { throw unreadable(path, failure) }
    if chunk.isEmpty { return bytes }
    bytes += chunk
  }
  throw ConfigErrors(problems: [ConfigProblem(file: path, message: ConfigText.tooLarge)])
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
