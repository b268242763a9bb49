// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc
import Synchronization

/// One run of a program that a channel names: without a shell, in a process group of its own, with a small environment.
/// Its own child processes end with it, and it ends when its time is over.
struct ProgramRun: Sendable {
  enum End: Hashable {
    /// By itself; what it printed first, on one line.
    case ended(code: Int32, String)
    case killed(Int32)
    case timedOut
    /// The task that waited for it was cancelled.
    case stopped
    /// Final: it will not start later either.
    case notStarted(String, isFinal: Bool)
  }

  let command: [String]
  let input: [UInt8]
  let timeout: Duration
  let time: TimeSource
  private let stop = StopFlag()

  init(command: [String], input: [UInt8], timeout: Duration, time: TimeSource) {
    (self.command, self.input, self.timeout, self.time) = (command, input, timeout, time)
  }

  /// Between SIGTERM and SIGKILL, and from a stop to SIGTERM.
  private static let farewell: Duration = .seconds(2)
  /// For SIGKILL to take effect.
  private static let burial: Duration = .seconds(1)
  /// Bytes of its output that are kept.
  private static let kept = 4096

  /// Runs it on a thread of its own.
  ///
  /// A cancelled task gives the program two seconds to come to its end, and two more after SIGTERM.
  ///
  /// - Returns: how it ended, and how many processes of it could not be ended.
  func perform() async -> (end: End, left: Int) {
    let rest = Self.farewell * 2 + Self.burial * 2
    let slow = End.notStarted("it cannot be read in time", isFinal: false)
    return await withTaskCancellationHandler {
      // The file may be on a file system that does not answer: the call that starts it waits for ever then.
      await onThread(within: timeout + rest, whenCancelled: rest, time) { performBlocking() } ?? (slow, 0)
    } onCancel: {
      stop.raise()
    }
  }

  private func performBlocking() -> (end: End, left: Int) {
    // A program that does not read must not end this one; the agent ignores the signal anyway.
    signal(SIGPIPE, SIG_IGN)
    // Where it is ignored, as inherited at the start, the kernel buries children, and nothing says how they ended.
    signal(SIGCHLD, SIG_DFL)
    guard access(command[0], X_OK) == 0 else { return (failure(errno), 0) }
    guard let (toChild, fromChild) = pipes() else {
      return (.notStarted("no more descriptors", isFinal: false), 0)
    }
    var code: Int32 = 0
    let family = ProcessFamily(code: &code) { child in
      spawn(&child, input: toChild.read, output: fromChild.write)
    }
    close(toChild.read)
    close(fromChild.write)
    defer { close(fromChild.read) }
    guard let family else {
      close(toChild.write)
      return (failure(code), 0)
    }
    return follow(family, input: toChild.write, output: fromChild.read)
  }

  private func failure(_ code: Int32) -> End {
    .notStarted(String(cString: strerror(code)), isFinal: Self.isFinal(code))
  }

  /// Whether a program that could not be started for this reason will not start later either.
  static func isFinal(_ code: Int32) -> Bool {
    ![EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY, EIO, ESTALE].contains(code)
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
    // Its signals are those of a program started in a shell, whatever the agent ignores.
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
  private func follow(_ family: ProcessFamily, input: Int32, output: Int32) -> (end: End, left: Int) {
    var limit = time.instant() + timeout
    var feed = Feed(input, self.input)
    defer { feed.finish() }
    var text: [UInt8] = []
    var (isTermed, isStopped) = (false, false)
    // Once it was asked to end, all of it gets its time to, whatever the program itself does.
    while !(isTermed ? family.isOver : family.hasEnded) {
      let now = time.instant()
      if !isStopped, stop.isRaised { (isStopped, limit) = (true, min(limit, now + Self.farewell)) }
      if now >= limit, !isTermed {
        family.terminate()
        isTermed = true
      }
      if now >= limit + Self.farewell { break }
      var events = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      if let descriptor = feed.descriptor {
        events.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0))
      }
      // The child may end without a word: looked at ten times a second.
      _ = poll(&events, nfds_t(events.count), 100)
      read(output, into: &text)
      if events.count > 1, events[1].revents != 0 { feed.write() }
      if events[0].revents & Int16(POLLIN) == 0, events[0].revents != 0 { _ = poll(nil, 0, 20) }
    }
    // What it left behind goes with it.
    let left = family.end(within: Self.burial, time)
    read(output, into: &text)
    let status = family.bury()
    if isTermed { return (isStopped ? .stopped : .timedOut, left) }
    return (status.map { end($0, text) } ?? .timedOut, left)
  }

  /// Reads the available output; bytes beyond the limit are discarded.
  private func read(_ descriptor: Int32, into text: inout [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // A stretch at a time, so that a program that only prints cannot keep us.
    for _ in 0..<16 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      if text.count < Self.kept { text += buffer[..<min(count, Self.kept - text.count)] }
    }
  }

  private func end(_ status: Int32, _ text: [UInt8]) -> End {
    if status & 0x7f == 0 {
      let words = String(decoding: text, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
      return .ended(code: status >> 8 & 0xff, words.printable(maxBytes: 200))
    }
    return .killed(status & 0x7f)
  }
}

/// Input of the program, which is closed once all of it was written.
private struct Feed {
  /// `nil`: it is closed.
  private(set) var descriptor: Int32?
  private var rest: ArraySlice<UInt8>

  init(_ descriptor: Int32, _ bytes: [UInt8]) { (self.descriptor, rest) = (descriptor, bytes[...]) }

  mutating func write() {
    guard let descriptor else { return }
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 { rest = rest.dropFirst(count) }
    if rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) { finish() }
  }

  mutating func finish() {
    if let descriptor { close(descriptor) }
    descriptor = nil
  }
}

private final class StopFlag: Sendable {
  private let value = Atomic(false)
  var isRaised: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
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
