// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Logging
import Monitoring
import Synchronization

/// Keeps the journal of starts on the disk while the agent starts, and moves away an input that two starts died over.
/// Every method may block and belongs on a thread of its own; after the first minute they do nothing.
///
/// The journal is synced only once: the page cache outlives the process, and a machine that goes down blames no
/// input.
final class StartWatch: Sendable {
  private struct State {
    var journal: StartJournal
    /// -1: there is no journal, and nothing is put aside.
    var descriptor: Int32
  }

  static let fileName = "starts.json"
  static let asideFolder = "aside"
  private static let sizeLimit = 1 << 16

  let folder: String
  private let disk: StateDisk
  private let log: Logger
  private let version: String
  private let time: TimeSource
  private let state: Mutex<State>
  private let isStarting: Atomic<Bool>

  /// - Parameter disk: state_dir, which exists.
  init(
    disk: StateDisk, log: Logger, time: TimeSource, version: String = agentVersion,
    boot: String = bootIdentity()
  ) {
    let folder = disk.folder
    (self.folder, self.disk, self.log, self.time, self.version) = (folder, disk, log, time, version)
    let path = folder + "/" + Self.fileName
    var descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    // Another agent on the same folder is told so by the store's lock; its journal is not ours.
    if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0 || !isPlainFile(descriptor) {
      close(descriptor)
      descriptor = -1
    }
    var (journal, signal) = StartJournal.read(
      descriptor < 0 ? [] : contents(descriptor, limit: Self.sizeLimit))
    journal.keepAside { access(folder + "/" + $0, F_OK) == 0 }
    let blamed = journal.begin(boot: boot, signal: signal)
    state = Mutex(State(journal: journal, descriptor: descriptor))
    isStarting = Atomic(descriptor >= 0)
    guard descriptor >= 0 else { return }
    for known in blamed {
      log.warning(
        "the start before this one died within a minute",
        metadata: [
          "of": signal > 0 ? "signal \(signal)" : "a kill from outside", "over": "\(known.input.name)",
          "deaths": "\(known.count)",
        ])
    }
    state.withLock { store($0) }
    fdatasync(descriptor)
    CrashMark.arm(descriptor)
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { close(descriptor) }
  }

  private func store(_ state: State) {
    guard state.descriptor >= 0 else { return }
    let bytes = state.journal.encoded()
    // In place, so that a dying process finds it. What a longer text leaves behind the line end is not read.
    guard pwrite(state.descriptor, bytes, bytes.count, 0) == bytes.count,
      ftruncate(state.descriptor, off_t(bytes.count)) == 0
    else {
      let why = "cannot write \(folder)/\(Self.fileName): \(String(cString: strerror(errno)))"
      return disk.failed(Self.fileName, StateFile.Failure(description: why)) { await self.storeAgain() }
    }
    disk.settled(Self.fileName)
  }

  private func storeAgain() async {
    await onThread { self.state.withLock { self.store($0) } }
  }

  private func change(_ body: (inout StartJournal) -> Void) {
    guard isStarting.load(ordering: .acquiring) else { return }
    state.withLock { state in
      body(&state.journal)
      store(state)
    }
  }

  // MARK: What readers say

  /// A reader is about to believe this. False: two starts died over it, and it must do without.
  func mayRead(_ input: StartInput) -> Bool {
    guard !isPoison(input) else { return false }
    change { $0.begins(input) }
    plantedTrap(input.name, .reading)
    return true
  }

  func isPoison(_ input: StartInput) -> Bool {
    isStarting.load(ordering: .acquiring) && state.withLock { $0.journal.isPoison(input) }
  }

  func ended(_ name: String) {
    var wasRead = false
    change { journal in
      wasRead = journal.reading.contains { $0.name == name }
      journal.ended(name)
    }
    if wasRead { plantedTrap(name, .used) }
  }

  func uses(_ input: StartInput) {
    change { $0.uses(input) }
    plantedTrap(input.name, .used)
  }

  /// Also after the first minute: the API goes on to send what it sent.
  func refusal(of input: StartInput) -> StartJournal.Aside? {
    let now = time.wall()
    return state.withLock { $0.journal.refusal(of: input, version: version, at: now) }
  }

  /// It has lived for a minute, or ends as it should.
  func settle() {
    change { $0.settle() }
    isStarting.store(false, ordering: .releasing)
    CrashMark.disarm()
  }

  // MARK: Putting aside

  /// Moves a file of state_dir into `aside`, where a person can look at it. False: it is not there any more, or stays.
  @discardableResult
  func putAside(_ input: StartInput) -> Bool {
    let shelf = folder + "/" + Self.asideFolder
    mkdir(shelf, 0o700)
    let stamp = time.wall().rfc3339.filter { $0 != "-" && $0 != ":" }
    let plain = String(input.name.map { $0 == "/" ? "-" : $0 })
    let place = "\(Self.asideFolder)/\(plain)-\(stamp)"
    guard rename(folder + "/" + input.name, folder + "/" + place) == 0 else { return false }
    makeRoom(shelf, plain)
    wasPutAside(input, place: place)
    return true
  }

  /// Another part, such as the store, moved it.
  func wasPutAside(_ input: StartInput, place: String) {
    change { $0.putAside(input, to: place, at: time.wall(), version: version) }
    let entry = state.withLock { $0.journal.aside.last { $0.place == place } }
    log.error(
      entry?.isKilled == true
        ? "put the history aside, after which six starts were killed from outside; the agent continues without it"
        : "quarantined the input that crashed two starts; the agent continues without it",
      metadata: [
        "input": "\(input.name)", "now": "\(folder)/\(place)", "hint": "\(entry?.hint ?? asideHint)",
      ])
  }

  /// At most so many of each, the oldest goes: these are copies of what is elsewhere, or counts.
  private func makeRoom(_ shelf: String, _ plain: String) {
    let old = fileNames(in: shelf).filter { $0.hasPrefix(plain + "-2") }.sorted().dropLast(StartJournal.kept)
    for name in old { unlink(shelf + "/" + name) }
  }

  /// For the status page and `status`: as long as it lies there.
  var notices: [Notice] { state.withLock { $0.journal.aside.map(\.notice) } }

  /// Why an input was put aside, in words.
  func why(_ input: StartInput) -> String {
    state.withLock { $0.journal.aside.last { $0.input == input }?.why ?? StartJournal.Aside.crashed }
  }
}

private let asideHint = "keep it for a report; delete it when it is no longer of use (docs/durability.md)"

extension StartJournal.Aside {
  static let crashed = "two starts of the agent died over it"

  /// Six kills from outside, and nothing that points at the history itself.
  var isKilled: Bool { !isFault && input.name.hasPrefix(StartJournal.history + "/") }

  var why: String {
    isKilled
      ? "six starts of the agent were killed from outside within a minute each (SIGKILL, or too little memory)"
      : Self.crashed
  }

  var hint: String {
    isKilled
      ? "where they were killed for another reason, stop the agent and move it back to "
        + "\(input.name.printable(maxBytes: 80)) (docs/durability.md)" : asideHint
  }

  var notice: Notice {
    .warning(
      "state_dir",
      "\(input.name.printable(maxBytes: 80)) was put aside at \(at.rfc3339): \(why); "
        + "it is in state_dir as \(place.printable(maxBytes: 160))",
      hint: hint)
  }
}

/// Notices about the folder of a stopped or running agent, for `doctor`.
package func asideNotices(in folder: String) -> [Notice] {
  let descriptor = open(folder + "/" + StartWatch.fileName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  guard isPlainFile(descriptor) else { return [] }
  var journal = StartJournal.read(contents(descriptor, limit: 1 << 16)).journal
  journal.keepAside { access(folder + "/" + $0, F_OK) == 0 }
  return journal.aside.map(\.notice)
}

/// Which life of the machine this is (random(4)); empty where /proc does not tell.
func bootIdentity() -> String {
  let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return "" }
  defer { close(descriptor) }
  return String(decoding: contents(descriptor, limit: 64).prefix { $0 > 0x20 }, as: UTF8.self)
}

private func isPlainFile(_ descriptor: Int32) -> Bool {
  var facts = stat()
  return fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_nlink == 1
}

private func contents(_ descriptor: Int32, limit: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: limit)
  let count = read(descriptor, &bytes, bytes.count)
  return Array(bytes.prefix(max(0, count)))
}

/// Names of the files in a folder; empty where it cannot be read.
package func fileNames(in folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    names.append(
      withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }
  return names
}
