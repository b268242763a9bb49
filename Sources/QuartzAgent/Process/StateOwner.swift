// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// Drops root for the owner of the state directory, for good: the command then sees what the agent sees, and files that it
/// writes belong to the agent. No effect for other users, or when the directory does not exist.
///
/// - Returns: whether the process is another user's now.
@discardableResult
func becomeOwner(of directory: String) -> Bool {
  var facts = stat()
  guard geteuid() == 0, stat(directory, &facts) == 0, facts.st_uid != 0 else { return false }
  let (user, group) = (facts.st_uid, facts.st_gid)
  // The groups last known of root would still open doors. Each call holds for all threads (nptl(7)).
  guard setgroups(1, [group]) == 0, setgid(group) == 0 else { return false }
  return setuid(user) == 0
}
