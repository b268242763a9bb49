// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

extension FileFault: CustomStringConvertible {
  /// One line for the operator: what, where, what next.
  package var description: String {
    switch self {
    case .refused(let reason): reason
    case .locked(let path): "\(path) is in use by another agent"
    case .failed(let operation, let name, let code):
      "cannot \(operation) \(name): \(String(cString: strerror(code)))\(hint(code))"
    }
  }

  private func hint(_ code: Int32) -> String {
    switch code {
    case ENOSPC, EDQUOT: " (free space, or make spool.size smaller)"
    case EROFS: " (the disk is mounted read-only)"
    case EACCES, EPERM: " (the agent's user needs to write there)"
    case ENOENT: " (create the directory, owned by the agent's user)"
    default: ""
    }
  }

  /// Of a store that is kept in memory because of it.
  func notice(since: Timestamp) -> Notice {
    let remedy =
      switch self {
      case .failed(_, _, ENOSPC), .failed(_, _, EDQUOT): "free space, or make spool.size smaller"
      case .failed(_, _, ENOENT), .failed(_, _, ENOTDIR):
        "create state_dir, owned by the agent's user, mode 0700"
      case .failed(_, _, EACCES), .failed(_, _, EPERM): "make state_dir writable for the agent's user"
      case .failed(_, _, EROFS): "mount the file system of state_dir writable"
      default: "make state_dir usable"
      }
    // Disk errors concern the whole state directory; refusals of our own concern the store alone.
    let place: Notice.Place = if case .failed = self { .stateDirectory } else { .store }
    return .critical(place, description, hint: "\(remedy); the agent tries again every minute", since: since)
  }
}
