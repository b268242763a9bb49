// SPDX-License-Identifier: MIT

/// The content of a disk: what a process sees, what the medium has for certain, and the changes in between.
struct MemoryDisk {
  struct File {
    /// What a process sees.
    var data: [UInt8] = []
    /// What a power cut leaves for certain.
    var durable: [UInt8] = []
    var hasFailedSync = false
  }

  /// Something that was done and may or may not have reached the medium.
  enum Change {
    case bytes(file: Int32, offset: Int, [UInt8])
    /// The file has this size and holds zeros only.
    case zeros(file: Int32, size: Int)
    /// The directory holds these names.
    case names([String: Int32])

    var file: Int32? {
      switch self {
      case .bytes(let file, _, _), .zeros(let file, _): file
      case .names: nil
      }
    }
  }

  var files: [Int32: File] = [:]
  var names: [String: Int32] = [:]
  var durableNames: [String: Int32] = [:]
  /// In the order they were made. A sync of the file or the directory takes its own ones out.
  var changes: [Change] = []
  var handles: [Int32: Int32] = [:]
  var nextHandle: Int32 = 1
  var nextFile: Int32 = 1
  /// Bytes that may still be reserved.
  var space = Int.max
  /// Files that may still be made.
  var inodes = Int.max
  /// An operation that fails: how often still (-1 for ever), and how many calls go well before.
  struct Failure {
    var code: Int32
    var count: Int
    var after = 0
  }

  /// By the operation's name.
  var failures: [String: Failure] = [:]
  var operations: [String: Int] = [:]
  /// Operations that failed because they were told to.
  var injected = 0
  var syncsAfterFailure = 0
  var isReadOnly = false

  mutating func write(_ file: Int32, at offset: Int, _ bytes: [UInt8]) {
    changes.append(.bytes(file: file, offset: offset, bytes))
    put(bytes, into: &files[file, default: File()].data, at: offset)
  }

  mutating func reserve(_ file: Int32, size: Int) {
    changes.append(.zeros(file: file, size: size))
    files[file]?.data = [UInt8](repeating: 0, count: size)
  }

  mutating func sync(_ file: Int32) {
    if files[file]?.hasFailedSync == true { syncsAfterFailure += 1 }
    guard changes.contains(where: { $0.file == file }) else { return }
    changes.removeAll { change in
      guard change.file == file else { return false }
      apply(change, to: &files[file, default: File()].durable)
      return true
    }
  }

  mutating func setNames(_ body: (inout [String: Int32]) -> Void) {
    body(&names)
    changes.append(.names(names))
  }

  mutating func syncDirectory() {
    durableNames = names
    changes.removeAll { $0.file == nil }
  }

  /// What a new process finds: no open file, no failure.
  mutating func restart() {
    handles = [:]
    failures = [:]
    isReadOnly = false
    for id in files.keys { files[id]?.hasFailedSync = false }
  }
}

/// Writes into bytes that may have to grow first.
func put(_ bytes: some Collection<UInt8>, into data: inout [UInt8], at offset: Int) {
  let end = offset + bytes.count
  if data.count < end { data += [UInt8](repeating: 0, count: end - data.count) }
  data.replaceSubrange(offset..<end, with: bytes)
}

private func apply(_ change: MemoryDisk.Change, to data: inout [UInt8]) {
  switch change {
  case .bytes(_, let offset, let bytes): put(bytes, into: &data, at: offset)
  case .zeros(_, let size): data = [UInt8](repeating: 0, count: size)
  case .names: return
  }
}

/// Which of the changes not yet synced a power cut lets through.
enum PowerCut: Hashable {
  case nothing
  /// The same as a kill.
  case everything
  /// The first changes in order; of the next one as many bytes as said.
  case prefix(Int, torn: Int)
  /// Renames and creations are visible, the data behind them is not.
  case names
  /// The other way round.
  case data
  /// Each unit of this many bytes as some moment left it; of the names any prefix.
  case units(Int)
}

extension MemoryDisk {
  /// The disk as it is after the power has come back.
  func after(_ cut: PowerCut, using random: inout some RandomNumberGenerator) -> MemoryDisk {
    var disk = self
    disk.names = durableNames
    for id in files.keys { disk.files[id]?.data = files[id]?.durable ?? [] }
    switch cut {
    case .nothing: break
    case .everything: for change in changes { disk.take(change) }
    case .prefix(let count, let torn):
      for change in changes.prefix(count) { disk.take(change) }
      if torn > 0, changes.count > count, case .bytes(let file, let offset, let bytes) = changes[count] {
        disk.take(.bytes(file: file, offset: offset, Array(bytes.prefix(torn))))
      }
    case .names: for change in changes where change.file == nil { disk.take(change) }
    case .data: for change in changes where change.file != nil { disk.take(change) }
    case .units(let size): disk.takeUnits(changes, size, using: &random)
    }
    for (id, file) in disk.files { disk.files[id]?.durable = file.data }
    disk.durableNames = disk.names
    disk.changes = []
    disk.restart()
    return disk
  }

  private mutating func take(_ change: Change) {
    switch change {
    case .names(let names): self.names = names
    case .bytes(let file, _, _), .zeros(let file, _): apply(change, to: &files[file, default: File()].data)
    }
  }

  private mutating func takeUnits(
    _ changes: [Change], _ size: Int, using random: inout some RandomNumberGenerator
  ) {
    // A unit on the medium is what the page cache held when it was written out: all changes up to some moment.
    var moments: [Unit: Int] = [:]
    let namesUpTo = Int.random(in: 0...changes.count, using: &random)
    for (index, change) in changes.enumerated() {
      switch change {
      case .names: if index < namesUpTo { take(change) }
      case .zeros(let file, _):
        if index < moment(Unit(file: file, number: -1), changes.count, &moments, &random) { take(change) }
      case .bytes(let file, let offset, let bytes):
        var start = 0
        while start < bytes.count {
          let number = (offset + start) / size
          let end = min(bytes.count, (number + 1) * size - offset)
          if index < moment(Unit(file: file, number: number), changes.count, &moments, &random) {
            take(.bytes(file: file, offset: offset + start, Array(bytes[start..<end])))
          }
          start = end
        }
      }
    }
  }

  private struct Unit: Hashable {
    var file: Int32
    var number: Int
  }

  private func moment(
    _ unit: Unit, _ count: Int, _ moments: inout [Unit: Int], _ random: inout some RandomNumberGenerator
  ) -> Int {
    if let known = moments[unit] { return known }
    let chosen =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: 0
      case 1: count
      default: Int.random(in: 0...count, using: &random)
      }
    moments[unit] = chosen
    return chosen
  }

  /// Names and contents as one number, to tell one state from another.
  var fingerprint: Int {
    var hasher = Hasher()
    for (name, id) in names.sorted(by: { $0.key < $1.key }) {
      hasher.combine(name)
      let data = files[id]?.data ?? []
      hasher.combine(data.count)
      data.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }
}
