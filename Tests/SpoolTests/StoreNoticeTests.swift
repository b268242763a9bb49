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
    (FileFault.failed(operation: "write", name: "/spool", code: ENOSPC), true),
    (.failed(operation: "reserve", name: "/spool", code: EDQUOT), true),
    (.failed(operation: "open", name: "/workspace/spool", code: EACCES), false),
    (.failed(operation: "sync", name: "/spool", code: EROFS), false),
    (.refused("/my space/spool is a symbolic link or not a directory"), false), (.locked("/spool"), false),
  ])
  func theErrorsNumberSaysWhatToDo(fault: FileFault, isFull: Bool) {
    let since = Timestamp(microseconds: 1)
    let remedy = isFull ? "free space, or make spool.size smaller" : "make state_dir usable"
    // What the disk says is a problem of the whole state directory.
    let place: Notice.Place = if case .failed = fault { .stateDirectory } else { .store }
    #expect(
      fault.notice(since: since)
        == .critical(
          place, fault.description, hint: "\(remedy); the agent tries again every minute", since: since))
  }
}
