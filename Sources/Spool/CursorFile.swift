// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// The cursor's file: two slots, written in turn, each write synced.
struct CursorFile {
  private let files: any SpoolFileSystem
  private var file: SpoolFile?
  private var generation: UInt64
  /// The file's last sync failed: it is replaced before anything else is written.
  private(set) var isSuspect: Bool
  /// The progress that is certain to be on the medium.
  private(set) var written: DeliveryProgress?

  /// State of the file at a start. A file that is missing, short or damaged means sending again, never losing.
  static func read(_ files: any SpoolFileSystem) -> Found {
    if files.isPoison(Cursor.fileName) {
      try? files.rename(Cursor.fileName, to: "aside-\(Cursor.fileName)")
      return Found(damaged: 1, isUnreadable: true)
    }
    files.begins(Cursor.fileName)
    defer { files.ended(Cursor.fileName) }
    do throws(FileFault) {
      let file = try files.open(Cursor.fileName, create: false)
      defer { files.close(file) }
      let bytes = try files.read(file, at: 0, count: Cursor.fileSize)
      let (cursor, damaged) = Cursor.newest(in: bytes)
      return Found(cursor: cursor, damaged: damaged)
    } catch .failed(_, _, ENOENT) {
      return Found()
    } catch .refused(let why) {
      return Found(damaged: 1, isUnreadable: true, refusal: why)
    } catch {
      return Found(damaged: 1, isUnreadable: true)
    }
  }

  struct Found {
    var cursor: Cursor?
    /// Slots that were damaged.
    var damaged = 0
    /// The disk did not give the file back: it is replaced as a whole, or a slot of it would count later on.
    var isUnreadable = false
    /// It is no file of ours: what it is instead.
    var refusal: String?

    /// A damaged file of which no slot is left. `nil` where a slot is, and where a refusal says it.
    var loss: Notice? {
      guard cursor == nil, damaged > 0, refusal == nil else { return nil }
      return .warning(
        .store,
        "what was delivered is not known, as the cursor is damaged: stored results are sent again, with the same ids"
      )
    }

    /// For the operator.
    var notes: [Notice] {
      refusal.map {
        [
          .warning(
            .store,
            "what was delivered is not known, a new cursor is kept and results may be sent again: \($0)")
        ]
      } ?? []
    }
  }

  init(files: any SpoolFileSystem, after cursor: Cursor?, isSuspect: Bool) {
    self.files = files
    self.isSuspect = isSuspect
    self.generation = cursor?.generation ?? 0
  }

  /// Durable when it returns. After a failed sync the file is replaced, never synced again.
  mutating func write(_ progress: DeliveryProgress, identity: UniqueID) throws(FileFault) {
    guard progress != written else { return }
    generation += 1
    let cursor = Cursor(generation: generation, progress: progress, identity: identity)
    if !isSuspect {
      do {
        let file = try opened()
        try files.write(file, at: Int(generation % 2) * Cursor.slotDistance, cursor.bytes)
        try files.sync(file)
        written = progress
        return
      } catch {
        close()
        isSuspect = true
      }
    }
    try replace(with: cursor)
    isSuspect = false
    written = progress
  }

  /// Writes and syncs whether or not anything has changed: does the disk still take anything at all?
  mutating func prove(_ progress: DeliveryProgress, identity: UniqueID) throws(FileFault) {
    written = nil
    try write(progress, identity: identity)
  }

  mutating func close() {
    if let file { files.close(file) }
    file = nil
  }

  private mutating func opened() throws(FileFault) -> SpoolFile {
    if let file { return file }
    let opened = try files.open(Cursor.fileName, create: false)
    file = opened
    return opened
  }

  /// A new file beside the old one, then the name: at every instant one of the two is whole.
  private func replace(with cursor: Cursor) throws(FileFault) {
    let name = "\(Cursor.fileName).new"
    do throws(FileFault) {
      try files.remove(name)
    } catch .failed(_, _, ENOENT) {
      // As it should be. A file that is there and stays may be one whose sync failed.
    }
    let file = try files.open(name, create: true)
    defer { files.close(file) }
    try files.reserve(file, size: Cursor.fileSize)
    try files.write(file, at: Int(cursor.generation % 2) * Cursor.slotDistance, cursor.bytes)
    try files.sync(file)
    try files.rename(name, to: Cursor.fileName)
    try files.syncDirectory()
  }
}
