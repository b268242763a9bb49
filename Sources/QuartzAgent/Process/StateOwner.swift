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
  guard takeGroups(of: user, group), setgid(group) == 0 else { return false }
  return setuid(user) == 0
}

/// Those of the user database, which open files to the agent as well; without an entry there the one group.
private func takeGroups(of user: uid_t, _ group: gid_t) -> Bool {
  guard let entry = getpwuid(user), let name = entry.pointee.pw_name else {
    return setgroups(1, [group]) == 0
  }
  return initgroups(name, group) == 0
}

/// The user that `becomeOwner` made of root, for people.
var agentUserWords: String { "the agent's user (uid \(geteuid()))" }

/// Whether the file may be read by the user that this process is now.
func mayRead(_ path: String) -> Bool { access(path, R_OK) == 0 }

/// Next step for a configuration that only root can read.
let unreadableHint =
  "a draft may stay so; for the service: chgrp it to the agent's group, and chmod 0640"
