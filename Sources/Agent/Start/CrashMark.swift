// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Synchronization

/// The last act of a process that ends by its own fault: the number of the signal goes to the journal of starts, so that
/// the next start can tell a trap from a kill. The signal then does what it always did.
enum CrashMark {
  /// - Parameter descriptor: of the journal; it stays open until `disarm`.
  static func arm(_ descriptor: Int32) {
    if earlierActions.load(ordering: .acquiring) == 0 {
      // Never freed: a signal may come at any time.
      let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
      actions.initialize(repeating: sigaction(), count: 32)
      for number in faults { sigaction(number, nil, actions + Int(number)) }
      earlierActions.store(UInt(bitPattern: actions), ordering: .releasing)
      for number in faults {
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = noteFault
        action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_ONSTACK)
        sigaction(number, &action, nil)
      }
    }
    journal.store(descriptor, ordering: .sequentiallyConsistent)
  }

  static func disarm() { journal.store(-1, ordering: .sequentiallyConsistent) }
}

/// Signals of a trap, an access to no memory, `abort` and the supervisor's watchdog.
private let faults = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGSYS]
private let journal = Atomic<Int32>(-1)
/// An array indexed by the signal's number, as bits.
private let earlierActions = Atomic<UInt>(0)

/// Only what signal-safety(7) allows: atomics, pwrite, sigaction, raise.
private func noteFault(
  _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
  let saved = errno
  let descriptor = journal.load(ordering: .relaxed)
  if descriptor >= 0 {
    var digits: (UInt8, UInt8, UInt8) = (0x30, 0x30 + UInt8(number / 10 % 10), 0x30 + UInt8(number % 10))
    _ = pwrite(descriptor, &digits, 3, 0)
  }
  if let actions = UnsafeMutablePointer<sigaction>(bitPattern: earlierActions.load(ordering: .relaxed)) {
    sigaction(number, actions + Int(number), nil)
  } else {
    signal(number, SIG_DFL)
  }
  // A fault of an instruction happens again as soon as this returns; what somebody sent does not.
  if let info, info.pointee.si_code <= 0 { raise(number) }
  errno = saved
}
