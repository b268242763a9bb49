// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// Kind of disk that a directory is on, as far as the promise depends on it.
enum MountKind: Hashable, Sendable {
  case ordinary
  /// Overwriting needs new space: what was reserved may not be there.
  case copyOnWrite
  /// Syncs and locks mean something else there.
  case network

  /// By the type of the mount with the longest matching path in /proc/self/mountinfo (proc(5)).
  init(of directory: Int32) {
    let path = linkTarget("/proc/self/fd/\(directory)")
    let type = path.flatMap { mountType(of: $0, in: fileText("/proc/self/mountinfo")) }
    self.init(type: type ?? "")
  }

  init(type: String) {
    switch type {
    case "nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "lustre", "afs", "gfs2", "ocfs2", "fuse.sshfs",
      "fuse.glusterfs":
      self = .network
    case "btrfs", "zfs", "bcachefs": self = .copyOnWrite
    default: self = .ordinary
    }
  }
}

/// The last mount on the longest prefix wins: it covers the earlier ones.
func mountType(of path: String, in mounts: String) -> String? {
  var best: (length: Int, type: String)?
  for line in mounts.split(separator: "\n") {
    let fields = line.split(separator: " ")
    guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
    let point = fields[4].replacing("\\040", with: " ")
    let covers = point == "/" || path == point || path.hasPrefix(point + "/")
    if covers, point.utf8.count >= best?.length ?? 0 { best = (point.utf8.count, String(fields[dash + 1])) }
  }
  return best?.type
}

private func linkTarget(_ link: String) -> String? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
  let length = readlink(link, &buffer, Int(PATH_MAX))
  guard length > 0 else { return nil }
  return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private func fileText(_ path: String) -> String {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return "" }
  defer { close(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16 << 10)
  while true {
    let got = read(file, &buffer, buffer.count)
    guard got > 0, bytes.count < 1 << 20 else { return String(decoding: bytes, as: UTF8.self) }
    bytes.append(contentsOf: buffer[..<got])
  }
}
