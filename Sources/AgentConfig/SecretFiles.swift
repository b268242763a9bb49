// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Where the text behind `${file:}` and `${cred:}` comes from: the disk, or a test's own files.
package struct SecretFiles: Sendable {
  /// One file, read and judged.
  package struct Contents: Hashable, Sendable {
    package var text: String
    /// Problems that do not stop the start.
    package var warnings: [Note] = []

    package init(text: String, warnings: [Note] = []) {
      self.text = text
      self.warnings = warnings
    }
  }

  /// Words about a file that follow its name: never its content.
  package struct Note: Error, Hashable, Sendable {
    package var message: String
    package var hint: String?
    /// Name of a credential that only the service can read: nothing is wrong. `nil` for a problem.
    package var credential: String?

    package init(_ message: String, hint: String? = nil) {
      self.message = message
      self.hint = hint
    }
  }

  /// Takes an absolute path.
  package var read: @Sendable (String) throws(Note) -> Contents
  /// The same for a request body, which may be larger and belong to anybody, and is taken as it is.
  package var readBody: @Sendable (String) throws(Note) -> String

  package init(
    read: @escaping @Sendable (String) throws(Note) -> Contents,
    readBody: @escaping @Sendable (String) throws(Note) -> String
  ) {
    self.read = read
    self.readBody = readBody
  }

  /// The same files, and `note` is told the path of each that is read.
  package func noting(_ note: @escaping @Sendable (String) -> Void) -> SecretFiles {
    let (read, readBody) = (read, readBody)
    return SecretFiles(
      read: { path throws(Note) in
        note(path)
        return try read(path)
      },
      readBody: { path throws(Note) in
        note(path)
        return try readBody(path)
      })
  }

  /// The files of this machine. Symbolic links are followed, for that is how Kubernetes mounts secrets; their target
  /// must be a regular file of at most 4 KiB that only its owner may write.
  package static let disk = SecretFiles(
    read: { path throws(Note) in try readSecretFile(path) },
    readBody: { path throws(Note) in try readBodyFile(path) })
}

extension SecretFiles {
  /// Whether the owner of a secret is neither root nor the agent's user.
  package static func isForeign(owner: uid_t, to user: uid_t) -> Bool { owner != 0 && owner != user }
}

private let maxSecretBytes = 4096

private func readSecretFile(_ path: String) throws(SecretFiles.Note) -> SecretFiles.Contents {
  let (whole, warnings) = try readRegularFile(path, atMost: maxSecretBytes) {
    status throws(SecretFiles.Note) in
    try judge(status, path)
  }
  guard var bytes = whole else { throw tooLarge }
  while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
  guard !bytes.isEmpty else { throw SecretFiles.Note("is empty") }
  guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
    throw SecretFiles.Note("is no text", hint: "it must be UTF-8 without NUL")
  }
  return SecretFiles.Contents(text: text, warnings: warnings)
}

private func readBodyFile(_ path: String) throws(SecretFiles.Note) -> String {
  let (bytes, _) = try readRegularFile(path, atMost: CheckLimits.bodyBytes) {
    status throws(SecretFiles.Note) in
    guard status.st_mode & S_IFMT == S_IFREG else { throw SecretFiles.Note("is no regular file") }
    return []
  }
  guard let bytes else { throw SecretFiles.Note("is larger than \(CheckLimits.bodyBytes) bytes") }
  guard let text = String(validating: bytes, as: UTF8.self) else {
    throw SecretFiles.Note("is no UTF-8", hint: "only text can be sent")
  }
  return text
}

/// The bytes are nil when there are more than allowed.
private func readRegularFile(
  _ path: String, atMost limit: Int, judge: (stat) throws(SecretFiles.Note) -> [SecretFiles.Note]
) throws(SecretFiles.Note) -> (bytes: [UInt8]?, warnings: [SecretFiles.Note]) {
  // Without O_NONBLOCK the open of a FIFO waits for a writer, before we could see that it is one.
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
  guard descriptor >= 0 else { throw openNote(errno) }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw openNote(errno) }
  let warnings = try judge(status)
  var bytes: [UInt8] = []
  while bytes.count <= limit {
    let (chunk, failure) = readChunk(descriptor)
    if let failure { throw openNote(failure) }
    if chunk.isEmpty { return (bytes, warnings) }
    bytes += chunk
  }
  return (nil, warnings)
}

private let tooLarge = SecretFiles.Note(
  "is larger than 4 KiB", hint: "it must hold the secret and nothing else")

/// Checks the kind of the file and its permissions.
private func judge(_ status: stat, _ path: String) throws(SecretFiles.Note) -> [SecretFiles.Note] {
  guard status.st_mode & S_IFMT == S_IFREG else { throw SecretFiles.Note("is no regular file") }
  guard status.st_size <= maxSecretBytes else { throw tooLarge }
  let digits = String(status.st_mode & 0o7777, radix: 8)
  let mode = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
    throw SecretFiles.Note("can be written by others (mode \(mode))", hint: "chmod go-w \(path)")
  }
  var warnings: [SecretFiles.Note] = []
  if status.st_mode & S_IROTH != 0, !isBehindClosedFolder(path) {
    warnings.append(
      SecretFiles.Note("can be read by all users of this machine (mode \(mode))", hint: "chmod o-r \(path)"))
  }
  if SecretFiles.isForeign(owner: status.st_uid, to: geteuid()) {
    warnings.append(
      SecretFiles.Note(
        "belongs to user \(status.st_uid)", hint: "it should belong to root or to the agent's user"))
  }
  return warnings
}

/// Whether the folder that the file is in, behind all symbolic links, keeps others out, as /etc/quartz-agent does.
private func isBehindClosedFolder(_ path: String) -> Bool {
  guard let real = realpath(path, nil) else { return false }
  defer { free(real) }
  let folder = String(cString: real).split(separator: "/").dropLast().joined(separator: "/")
  var facts = stat()
  return stat("/" + folder, &facts) == 0 && facts.st_mode & S_IXOTH == 0
}

private func openNote(_ code: Int32) -> SecretFiles.Note {
  switch code {
  case ENOENT: SecretFiles.Note("does not exist")
  case EACCES, EPERM:
    SecretFiles.Note("may not be read by this user", hint: "chgrp it to the agent's group with mode 0640")
  case EISDIR: SecretFiles.Note("is no regular file")
  case ELOOP: SecretFiles.Note("is a loop of symbolic links")
  default: SecretFiles.Note("cannot be read: \(String(cString: strerror(code)))")
  }
}

/// At most 64 KiB from the descriptor's offset; empty at the end. The failure is an errno value.
func readChunk(_ descriptor: Int32) -> (bytes: [UInt8], failure: Int32?) {
  var failure: Int32?
  let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
    count = 0
    while true {
      let got = read(descriptor, buffer.baseAddress, buffer.count)
      if got < 0, errno == EINTR { continue }
      if got < 0 { failure = errno } else { count = got }
      return
    }
  }
  return (bytes, failure)
}
