// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import Synchronization

/// A program that this process started, and every process that came of it, however it left: by setsid(2), with two forks,
/// or with an environment of its own.
///
/// Two things hold a family together. While one lives, processes that lose their parent are re-parented to this process
/// (PR_SET_CHILD_SUBREAPER of prctl(2)), which buries them. And each inherits a soft limit on the bytes of POSIX message
/// queues that no other family has (RLIMIT_MSGQUEUE): the kernel hands it on through fork(2) and execve(2), any user may
/// read it in /proc/PID/limits, and no program changes it by accident. So two runs at the same time, children that this
/// process was born with, and those of another agent are told apart.
package struct ProcessFamily: Sendable {
  package let leader: pid_t
  /// `nil`: the limit could not be set. Then only those in the leader's group and session, and their descendants, are found.
  private let mark: UInt64?

  /// Starts a family.
  ///
  /// - Parameter spawn: starts the leader in a process group of its own; zero, or the error number, which becomes `code`.
  package init?(code: inout Int32, _ spawn: (inout pid_t) -> Int32) {
    var child = pid_t()
    let (mark, result) = registry.withLock { registry in
      registry.enter()
      let before = QueueLimit.current
      let mark = before.flatMap { registry.mark(below: $0) }
      let result = spawn(&child)
      if mark != nil, let before { _ = QueueLimit.set(before) }
      if result != 0 { registry.leave(mark) }
      return (mark, result)
    }
    code = result
    guard result == 0 else { return nil }
    (leader, self.mark) = (child, mark)
  }

  /// The leader is over, but not buried: nothing else can have its number.
  package var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(leader), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
  }

  /// Nothing of it lives.
  package var isOver: Bool { hasEnded && members().allSatisfy(\.isZombie) }

  /// Asks all of it to end.
  package func terminate() {
    let alive = members().filter { !$0.isZombie }
    // The process table may be out of reach: no descriptor is left.
    if alive.isEmpty { kill(-leader, SIGTERM) }
    for member in alive { signal(member, SIGTERM) }
  }

  /// Ends all of it, and buries all but the leader. Blocks until no process of it is left, or until the limit.
  ///
  /// - Returns: how many live on: they are in a call that the kernel does not interrupt, or belong to another user.
  package func end(within limit: Duration, _ time: TimeSource) -> Int {
    let deadline = time.instant() + limit  // bounded: stops at the ends of the range
    // A process that is born during a look may be missed by it: it is over when two looks find none.
    var emptyLooks = 0
    while true {
      kill(-leader, SIGKILL)
      let members = members().filter { $0.pid != leader || !$0.isZombie }
      for member in members where member.isZombie && member.parent == getpid() {
        waitpid(member.pid, nil, WNOHANG)
      }
      emptyLooks = members.isEmpty ? emptyLooks + 1 : 0  // bounded: two at most
      if emptyLooks == 2 { return 0 }
      let alive = members.filter { !$0.isZombie }
      guard time.instant() < deadline else {
        registry.withLock { $0.leftovers.formUnion(alive.map(\.pid)) }
        return alive.count
      }
      // Stopped first, so that none has a child while the others are being ended.
      for number in [SIGSTOP, SIGKILL] {
        for member in alive { signal(member, number) }
      }
      _ = poll(nil, 0, 2)
    }
  }

  /// Buries the leader and ends the family.
  ///
  /// - Returns: the leader's status as waitpid(2) has it; `nil` when it lives on.
  package func bury() -> Int32? {
    var status: Int32 = 0
    var pid: pid_t
    repeat { pid = waitpid(leader, &status, WNOHANG) } while pid < 0 && errno == EINTR
    registry.withLock { registry in
      if pid == 0 { registry.leftovers.insert(leader) }
      registry.leave(mark)
    }
    return pid == leader ? status : nil
  }

  /// By a descriptor of the process, so that a number that was given to another one meanwhile is left alone.
  private func signal(_ member: ProcessFacts, _ number: Int32) {
    let descriptor = quartz_open_process(member.pid)
    guard descriptor >= 0 else {
      // Kernels before 5.3 have no such descriptors, and some containers forbid them.
      if errno != ESRCH { kill(member.pid, number) }
      return
    }
    defer { close(descriptor) }
    if ProcessFacts(of: member.pid)?.start == member.start { _ = quartz_signal_process(descriptor, number) }
  }

  /// Those that are there now.
  private func members() -> [ProcessFacts] {
    let all = ProcessFacts.all()
    let own = getpid()
    var found: [pid_t: Bool] = [own: false]
    return all.values.filter { isMember($0, all, &found) }
  }

  /// It descends from this process, and bears the mark, or the leader's group or session, or descends from one that does.
  private func isMember(
    _ facts: ProcessFacts, _ all: [pid_t: ProcessFacts], _ found: inout [pid_t: Bool]
  ) -> Bool {
    // The way up to this process, or to one that is known already.
    var line: [ProcessFacts] = []
    var next: ProcessFacts? = facts
    while let facts = next, found[facts.pid] == nil, line.count <= all.count {
      line.append(facts)
      next = all[facts.parent]
    }
    let isDescendant = next != nil
    var belongs = next.flatMap { found[$0.pid] } ?? false
    for facts in line.reversed() {
      if !belongs, isDescendant {
        belongs =
          facts.group == leader || facts.session == leader
          || mark != nil && QueueLimit.soft(of: facts.pid) == mark
      }
      found[facts.pid] = belongs
    }
    return found[facts.pid] ?? false
  }
}

/// State that all families of this process share.
private struct Registry {
  private var count = 0
  private var marks: Set<UInt64> = []
  /// Orphans came to this process before there was a family.
  private var wasReaper = false
  /// Processes that could not be ended, to be buried when they are over.
  var leftovers: Set<pid_t> = []

  mutating func enter() {
    if count == 0 {
      wasReaper = quartz_adopts_orphans() == 1
      quartz_adopt_orphans(1)
    }
    count += 1
  }

  mutating func leave(_ mark: UInt64?) {
    if let mark { marks.remove(mark) }
    count -= 1  // bounded: once for each that was added
    leftovers = leftovers.filter { waitpid($0, nil, WNOHANG) == 0 }
    if count == 0, !wasReaper { quartz_adopt_orphans(0) }
  }

  /// Sets a limit that no other family has; `nil` when that is not possible.
  mutating func mark(below limit: UInt64) -> UInt64? {
    let most = min(limit, 819_200)
    guard most > 8192 else { return nil }
    for _ in 0..<100 {
      let mark = UInt64.random(in: most / 2..<most)
      guard !marks.contains(mark) else { continue }
      guard QueueLimit.set(mark) else { return nil }
      marks.insert(mark)
      return mark
    }
    return nil
  }
}

private let registry = Mutex(Registry())

/// RLIMIT_MSGQUEUE of getrlimit(2), the soft one.
private enum QueueLimit {
  static var current: UInt64? {
    var limit: UInt64 = 0
    return quartz_queue_limit(&limit) == 0 ? limit : nil
  }

  static func set(_ limit: UInt64) -> Bool { quartz_set_queue_limit(limit) == 0 }

  /// As /proc/PID/limits has it: `Max msgqueue size  SOFT  HARD  bytes`.
  static func soft(of pid: pid_t) -> UInt64? {
    guard let text = ProcessFacts.text("/proc/\(pid)/limits") else { return nil }
    let name = "Max msgqueue size"
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
    // bounded: an optional
    return line.dropFirst(name.utf8.count).split(separator: " ").first.flatMap { UInt64($0) }
  }
}

/// One line of the process table, of proc(5).
private struct ProcessFacts {
  var pid: pid_t
  var parent: pid_t
  var group: pid_t
  var session: pid_t
  /// It has ended and is not buried.
  var isZombie: Bool
  /// When it began, in ticks since the machine started: with the number it is one process and no other.
  var start: Substring

  /// `nil` when there is no such process.
  init?(of pid: pid_t) {
    guard let text = Self.text("/proc/\(pid)/stat") else { return nil }
    // Behind the name, which may hold anything.
    guard let end = text.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = text[text.utf8.index(after: end)...].split(separator: " ", maxSplits: 20)
    guard fields.count > 19, let parent = pid_t(fields[1]), let group = pid_t(fields[2]),
      let session = pid_t(fields[3])
    else { return nil }
    (self.pid, self.parent, self.group, self.session) = (pid, parent, group, session)
    (isZombie, start) = (["Z", "X"].contains(fields[0]), fields[19])
  }

  static func all() -> [pid_t: ProcessFacts] {
    guard let folder = opendir("/proc") else { return [:] }
    defer { closedir(folder) }
    var all: [pid_t: ProcessFacts] = [:]
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let pid = pid_t(name), let facts = ProcessFacts(of: pid) { all[pid] = facts }
    }
    return all
  }

  /// The beginning of a file of the kernel's.
  static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }
}
