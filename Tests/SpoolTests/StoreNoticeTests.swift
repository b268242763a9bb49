// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Testing

@testable import Spool

/// What an operator is told of a store that the disk refuses.
@Suite struct StoreNoticeTests {
  /// The number of the error says what to do. A name with "space" in it, or words that speak of it, do not.
  @Test(arguments: [
    (
      FileFault.failed(operation: "write", name: "/spool", code: ENOSPC),
      "free space, or make spool.size smaller"
    ),
    (.failed(operation: "reserve", name: "/spool", code: EDQUOT), "free space, or make spool.size smaller"),
    (
      .failed(operation: "open", name: "/workspace/spool", code: EACCES),
      "make state_dir writable for the agent's user"
    ),
    (
      .failed(operation: "create", name: "/spool", code: ENOENT),
      "create state_dir, owned by the agent's user, mode 0700"
    ),
    (.failed(operation: "sync", name: "/spool", code: EROFS), "mount the file system of state_dir writable"),
    (.failed(operation: "sync", name: "/spool", code: EIO), "make state_dir usable"),
    (.refused("/my space/spool is a symbolic link or not a directory"), "make state_dir usable"),
    (.locked("/spool"), "make state_dir usable"),
  ])
  func theErrorsNumberSaysWhatToDo(fault: FileFault, remedy: String) {
    let since = Timestamp(microseconds: 1)
    // What the disk says is a problem of the whole state directory.
    let place: Notice.Place = if case .failed = fault { .stateDirectory } else { .store }
    #expect(
      fault.notice(since: since)
        == .critical(
          place, fault.description, hint: "\(remedy); the agent tries again every minute", since: since))
  }
}
