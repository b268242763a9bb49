// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// One line on standard error.
func printError(_ line: String) { writeAll(line + "\n", to: STDERR_FILENO) }

/// Text on standard output, unbuffered, so that a reader of NDJSON sees each result when it is there.
///
/// Output that cannot be written ends the program with 73, a plugin with 3: a file that is cut short must not look
/// complete. A reader that went away (EPIPE, or EIO of a terminal that was closed) has seen what it wanted.
///
/// - Returns: false when it went away.
@discardableResult
func printOutput(_ text: String) -> Bool {
  let code = writeAll(text, to: STDOUT_FILENO)
  guard code != 0 else { return true }
  guard code != EPIPE, code != EIO || !isDevice(STDOUT_FILENO) else { return false }
  printError("quartz-agent: error: cannot write the output: \(String(cString: strerror(code)))")
  let isPlugin = PluginAnswer.isExpected(by: CommandLine.arguments.dropFirst())
  exit(isPlugin ? ExitStatus.unknown : ExitStatus.cannotCreate)
}

/// Whether it is a terminal, or was one: a closed one is none to isatty(3).
private func isDevice(_ descriptor: Int32) -> Bool {
  var facts = stat()
  return fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFCHR
}

@discardableResult
private func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
  writeAll(Array(text.utf8), to: descriptor)
}

/// All of it, also where the descriptor does not wait.
///
/// - Returns: 0, or the error's number.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var sent = 0
  while sent < bytes.count {
    let count = bytes.withUnsafeBytes { buffer in
      write(descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent)
    }
    if count < 0 && errno == EINTR { continue }
    if count < 0 && errno == EAGAIN {
      // The descriptor does not wait: this does.
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&wait, 1, -1)
      continue
    }
    guard count > 0 else { return count < 0 ? errno : EIO }
    sent += count
  }
  return 0
}

/// `nil` where it is not set.
func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// Kind of output behind a descriptor, and its width.
struct Terminal {
  let isTerminal: Bool
  /// Columns, from 20 to 1,000: the terminal's, else those of the variable COLUMNS, else 120.
  let width: Int
  /// Lines; nil where there is no terminal to ask.
  let height: Int?
  /// Whether the width is known; otherwise nothing needs to be broken.
  let isWidthKnown: Bool

  init(_ descriptor: Int32 = STDOUT_FILENO) {
    isTerminal = isatty(descriptor) == 1
    var size = winsize()
    let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let variable = environmentVariable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    let columns = isKnown ? Int(size.ws_col) : variable
    width = min(1000, max(20, columns ?? 120))
    height = isKnown && size.ws_row > 0 ? Int(size.ws_row) : nil
    isWidthKnown = columns != nil
  }

  /// Whether TERM says that a line can be rewritten.
  static func rewritesLines(environment: (String) -> String? = environmentVariable) -> Bool {
    guard let name = environment("TERM"), !name.isEmpty else { return false }
    return name != "dumb"
  }

  /// Whether the locale says that it shows more than ASCII: by the first of locale(7)'s variables that is set.
  static var isUTF8: Bool { showsUTF8 { environmentVariable($0) } }

  static func showsUTF8(_ environmentVariable: (String) -> String?) -> Bool {
    let variables: [String] = ["LC_ALL", "LC_CTYPE", "LANG"]
    let name = variables.compactMap(environmentVariable).first { !$0.isEmpty }
    let plain = name?.lowercased().replacing("-", with: "") ?? ""
    return plain.contains("utf8")
  }
}

/// Rewrites the last line of standard error, as far as it fits; the empty text clears it.
func printProgress(_ text: String) {
  writeAll("\r\u{1b}[K" + text.cut(columns: Terminal(STDERR_FILENO).width - 1), to: STDERR_FILENO)
}

/// Facts, each behind a label of 13 columns: on a terminal what has no room goes on beneath its beginning.
func printFacts(_ text: String) {
  let terminal = Terminal()
  guard terminal.isWidthKnown else {
    printOutput(text)
    return
  }
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  printOutput(
    lines.flatMap { $0.folded(width: terminal.width, hanging: 13, breaksWords: true) }
      .joined(separator: "\n"))
}
