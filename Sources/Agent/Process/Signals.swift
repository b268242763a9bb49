// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization

/// A request from outside to this process.
package enum ProcessSignal: Equatable, Sendable {
  /// SIGTERM or SIGINT, the first one.
  case stop
  /// SIGHUP.
  case reload
}

/// The signals of this process as a stream, from now on and for the rest of its life.
///
/// The first SIGTERM or SIGINT asks for an orderly end. A second one means that the operator has waited long enough:
/// the process exits at once, with 128 plus the signal as a shell reports it. Pending SIGHUPs are coalesced, and give
/// way to a stop.
///
/// - Parameter keepsIgnored: a signal that was ignored at the start of the process (nohup(1), `&` in a script) stays
///   so.
package func processSignals(keepsIgnored: Bool = false) -> AsyncStream<ProcessSignal> {
  let (stream, continuation) = AsyncStream<ProcessSignal>.makeStream(bufferingPolicy: .bufferingNewest(1))
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { return stream }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  // A full pipe holds thousands of signals; one more must not block the handler.
  _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
  signalPipe.store(ends[1], ordering: .sequentiallyConsistent)
  let readEnd = ends[0]
  guard startThread({ readSignals(readEnd, continuation) }) else { return stream }
  for number in endingSignals where !keepsIgnored || !isIgnored(number) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = noteSignal
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
  }
  // What means nothing to us would end the process by default: a wrong `kill -USR1` must not stop the monitoring.
  for number in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO] + Array(firstFreeSignal...lastSignal) {
    signal(number, SIG_IGN)
  }
  return stream
}

/// From now on the first signal ends the process at once, without an orderly stop.
package func forgetProcessSignals() {
  for number in endingSignals where !isIgnored(number) { signal(number, SIG_DFL) }
}

private let endingSignals = [SIGTERM, SIGINT, SIGHUP]

private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0 else { return false }
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    == unsafeBitCast(SIG_IGN, to: Int.self)
}

/// The real-time signals that the C library keeps none of for itself (signal(7)).
private let firstFreeSignal: Int32 = 34
private let lastSignal: Int32 = 64

/// The end that `noteSignal` writes to. A handler can reach globals only.
private let signalPipe = Atomic<Int32>(-1)

/// The handler: write(2) is all it does, since that is async-signal-safe (signal-safety(7)).
private func noteSignal(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
  errno = saved
}

/// The reading thread, for the rest of the process's life.
func readSignals(_ pipe: Int32, _ continuation: AsyncStream<ProcessSignal>.Continuation) {
  var stopping = false
  while true {
    var byte: UInt8 = 0
    let count = read(pipe, &byte, 1)
    if count < 0 && errno == EINTR { continue }
    if count <= 0 { return }
    if Int32(byte) == SIGHUP {
      if !stopping { continuation.yield(.reload) }
    } else if stopping {
      _exit(128 + Int32(byte))
    } else {
      stopping = true
      LastResort.shared.arm()
      continuation.yield(.stop)
    }
  }
}
