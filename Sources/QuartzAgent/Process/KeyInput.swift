// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Synchronization

/// Keys of the terminal on standard input, one by one and without echo; Ctrl-C stays a signal.
final class KeyInput: Sendable {
  private let before: termios
  private let isOver = Atomic(false)

  /// `nil` where there is no terminal, or where it is another program's at the moment: a job in the background would be stopped.
  init?() {
    var mode = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &mode) == 0
    else { return nil }
    before = mode
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0 else { return nil }
  }

  /// Until `end`, on a thread of its own.
  func read(_ take: @escaping @Sendable (UInt8) -> Void) {
    _ = startThread { readKeys(self, take) }
  }

  /// The terminal is as it was.
  func end() {
    isOver.store(true, ordering: .releasing)
    var mode = before
    _ = tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  fileprivate var goesOn: Bool { !isOver.load(ordering: .acquiring) }
}

/// The body of the thread.
private func readKeys(_ input: KeyInput, _ take: @Sendable (UInt8) -> Void) {
  var buffer = [UInt8](repeating: 0, count: 64)
  while input.goesOn {
    var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let ready = poll(&wait, 1, 200)
    guard input.goesOn, ready >= 0 || errno == EINTR else { return }
    guard ready > 0 else { continue }
    let count = buffer.withUnsafeMutableBytes { Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR || errno == EAGAIN { continue }
    guard count > 0 else { return }
    for byte in buffer[..<count] { take(byte) }
  }
}
