// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// One line on standard error.
func printError(_ line: String) { writeAll(line + "\n", to: STDERR_FILENO) }

/// Text on standard output, unbuffered, so that a reader of NDJSON sees each result when it is there.
///
/// Output that cannot be written ends the program with 70: a file that is cut short must not look complete. A reader
/// that went away (EPIPE, or EIO of a terminal that was closed) has seen what it wanted.
func printOutput(_ text: String) {
  let code = writeAll(text, to: STDOUT_FILENO)
  guard code != 0, code != EPIPE, code != EIO || !isDevice(STDOUT_FILENO) else { return }
  printError("quartz-agent: error: cannot write the output: \(String(cString: strerror(code)))")
  exit(ExitStatus.internalError)
}

/// Whether it is a terminal, or was one: a closed one is none to isatty(3).
private func isDevice(_ descriptor: Int32) -> Bool {
  var facts = stat()
  return fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFCHR
}

/// 0, or the error code.
@discardableResult
private func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
  let bytes = Array(text.utf8)
  var sent = 0
  while sent < bytes.count {
    let count = bytes.withUnsafeBytes { buffer in
      write(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent)
    }
    if count < 0 && errno == EINTR { continue }
    if count < 0 && errno == EAGAIN {
      // Somebody gave us a descriptor that does not wait: so we do.
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&wait, 1, -1)
      continue
    }
    if count <= 0 { return errno }
    sent += count
  }
  return 0
}

/// What a descriptor is connected to, and how wide it is.
struct Terminal {
  let isTerminal: Bool
  /// Columns; 120 where there is no terminal to ask.
  let width: Int

  init(_ descriptor: Int32 = STDOUT_FILENO) {
    isTerminal = isatty(descriptor) == 1
    var size = winsize()
    let known = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    width = known ? Int(size.ws_col) : 120
  }

  /// Colour only on a terminal, and not when the operator said no (no-color.org).
  func usesColor(disabled: Bool) -> Bool {
    guard isTerminal, !disabled else { return false }
    if let noColor = getenv("NO_COLOR"), noColor.pointee != 0 { return false }
    if let term = getenv("TERM"), String(cString: term) == "dumb" { return false }
    return true
  }
}

/// Rewrites the last line of standard error; the empty text clears it.
func printProgress(_ text: String) { writeAll("\r\u{1b}[K" + text, to: STDERR_FILENO) }
