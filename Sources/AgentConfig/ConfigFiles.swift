// SPDX-License-Identifier: MIT

import Glibc
import Monitoring

/// Where configuration files come from: the disk, or a test's own.
package struct ConfigFiles: Sendable {
  /// The paths a pattern of `include` stands for, sorted; a path without wildcards stands for itself.
  package var expand: @Sendable (String) -> [String]
  /// - Throws: one problem, about the file as a whole.
  package var read: @Sendable (String) throws(ConfigErrors) -> [UInt8]

  package init(
    expand: @escaping @Sendable (String) -> [String],
    read: @escaping @Sendable (String) throws(ConfigErrors) -> [UInt8]
  ) {
    self.expand = expand
    self.read = read
  }

  package static let disk = ConfigFiles(
    expand: expandPattern, read: { path throws(ConfigErrors) in try readConfig(path) })
}

/// glob(3), sorted by name; what is no regular file and no link to one is left out, and so is what begins with a dot.
private func expandPattern(_ pattern: String) -> [String] {
  guard pattern.contains(where: { "*?[".contains($0) }) else { return [pattern] }
  var found = glob_t()
  defer { globfree(&found) }
  guard glob(pattern, 0, nil, &found) == 0 else { return [] }
  var paths: [String] = []
  for index in 0..<Int(found.gl_pathc) {
    guard let path = found.gl_pathv[index] else { continue }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
    paths.append(String(cString: path))
  }
  return paths
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
