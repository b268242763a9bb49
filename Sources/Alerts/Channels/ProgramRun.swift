// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc

/// One run of a program that a channel names: without a shell, in a process group of its own, with a small environment, and
/// ended with all it started when its time is over.
struct ProgramRun: Sendable {
  enum End: Hashable {
    /// By itself; what it printed first, on one line.
    case ended(code: Int32, String)
    case killed(Int32)
    case timedOut
    /// Final: it will not start later either.
    case notStarted(String, isFinal: Bool)
  }

  let command: [String]
  let input: [UInt8]
  let timeout: Duration
  let time: TimeSource

  /// Between SIGTERM and SIGKILL.
  private static let farewell: Duration = .seconds(2)
  /// Bytes of its output that are kept.
  private static let kept = 4096

  /// Blocks until it has ended: for a thread of its own.
  func perform() -> End {
    // A program that does not read must not end this one; the agent ignores the signal anyway.
    signal(SIGPIPE, SIG_IGN)
    guard let (toChild, fromChild) = pipes() else {
      return .notStarted("no more descriptors", isFinal: false)
    }
    var child = pid_t()
    let code = spawn(&child, input: toChild.read, output: fromChild.write)
    close(toChild.read)
    close(fromChild.write)
    defer { close(fromChild.read) }
    guard code == 0 else {
      close(toChild.write)
      let isFinal = ![EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY].contains(code)
      return .notStarted(String(cString: strerror(code)), isFinal: isFinal)
    }
    return follow(child, input: toChild.write, output: fromChild.read)
  }

  private typealias Pipe = (read: Int32, write: Int32)

  private func pipes() -> (Pipe, Pipe)? {
    var ends: [Int32] = [-1, -1, -1, -1]
    let isMade = ends.withUnsafeMutableBufferPointer { buffer -> Bool in
      guard let base = buffer.baseAddress, quartz_pipe(base) == 0 else { return false }
      guard quartz_pipe(base + 2) == 0 else {
        close(base[0])
        close(base[1])
        return false
      }
      return true
    }
    guard isMade else { return nil }
    for end in [ends[1], ends[2]] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    return ((ends[0], ends[1]), (ends[2], ends[3]))
  }

  private func spawn(_ child: inout pid_t, input: Int32, output: Int32) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    // What a library opened without CLOEXEC, too.
    quartz_spawn_close_from(&actions, 3)
    quartz_spawn_chdir(&actions, "/")
    // Its signals are those of a program that somebody typed, whatever the agent ignores.
    var all = sigset_t()
    sigfillset(&all)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let environment = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
    return withCStrings(command) { arguments in
      withCStrings(environment) { variables in
        guard let arguments, let variables else { return EINVAL }
        return posix_spawn(&child, command[0], &actions, &attributes, arguments, variables)
      }
    }
  }

  /// Feeds it, listens to it, and ends it when its time is over.
  private func follow(_ child: pid_t, input: Int32, output: Int32) -> End {
    let limit = time.instant() + timeout
    var (sent, isFed, text) = (0, false, [UInt8]())
    var isTermed = false
    var status: Int32 = 0
    func finishInput() {
      if !isFed { close(input) }
      isFed = true
    }
    defer { finishInput() }
    while true {
      let now = time.instant()
      if now >= limit, !isTermed {
        kill(-child, SIGTERM)
        isTermed = true
      }
      if now >= limit + Self.farewell { kill(-child, SIGKILL) }
      if hasEnded(child) {
        // Whatever it left behind goes with it. It is buried afterwards: until then nobody else can have its number.
        kill(-child, SIGKILL)
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        read(output, into: &text)
        return end(status, isTermed, text)
      }
      var events = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      if !isFed { events.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
      // The child may end without a word: looked at ten times a second.
      _ = poll(&events, nfds_t(events.count), 100)
      read(output, into: &text)
      if !isFed, events[1].revents != 0 {
        let count = self.input[sent...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        if count > 0 { sent += count }
        if sent == self.input.count || (count < 0 && errno != EAGAIN && errno != EINTR) { finishInput() }
      }
      if events[0].revents & Int16(POLLIN) == 0, events[0].revents != 0 { _ = poll(nil, 0, 20) }
    }
  }

  /// Over, but not buried.
  private func hasEnded(_ child: pid_t) -> Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
  }

  /// What is there; beyond what is kept it is thrown away.
  private func read(_ descriptor: Int32, into text: inout [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // A stretch at a time, so that a program that only prints cannot keep us.
    for _ in 0..<16 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      if text.count < Self.kept { text += buffer[..<min(count, Self.kept - text.count)] }
    }
  }

  private func end(_ status: Int32, _ isTermed: Bool, _ text: [UInt8]) -> End {
    if isTermed { return .timedOut }
    if status & 0x7f == 0 {
      let words = String(decoding: text, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
      return .ended(code: status >> 8 & 0xff, words.printable(maxBytes: 200))
    }
    return .killed(status & 0x7f)
  }
}

/// The texts as C has them, with a null at the end.
private func withCStrings<Value>(
  _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Value
) -> Value {
  var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
