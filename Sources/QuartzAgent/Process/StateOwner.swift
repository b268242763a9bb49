// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// As root, goes on as the user whom a state directory belongs to, for good: what that user may see and do is what a command
/// is asked, and what it writes there has to be that user's. Does nothing for others, or where there is no such directory.
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
