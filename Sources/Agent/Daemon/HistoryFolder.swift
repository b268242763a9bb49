// SPDX-License-Identifier: MIT

import Basics
import Glibc
import History
import Logging
import Spool

/// The folder of the history's files, `0000`, `0001` and so on.
struct HistoryFolder: HistoryFiles {
  let path: String
  private let disk: StateDisk
  private let starts: StartWatch

  init(on disk: StateDisk, _ starts: StartWatch) {
    path = disk.folder + "/\(StartJournal.history)"
    (self.disk, self.starts) = (disk, starts)
  }

  func name(_ number: Int) -> String { "\(StartJournal.history)/" + padded(Int64(number), 4) }

  private func file(_ number: Int) -> any DurableBytes { disk.bytes(name(number), maxBytes: 256 << 20) }

  func read() async -> (reading: HistoryReading, problems: [String]) {
    var reading = HistoryReading()
    if let problem = await objection() { return (reading, [problem]) }
    if let problem = await StateFolder.prepare(path) { return (reading, [problem]) }
    var problems: [String] = []
    for number in await onThread({ fileNumbers(path) }) {
      do {
        guard let bytes = try await file(number).read() else { continue }
        let input = StartInput(name(number), sum: fingerprint(of: bytes))
        guard await onThread({ starts.mayRead(input) }) else {
          let why = await onThread {
            starts.putAside(input)
            return starts.why(input)
          }
          problems.append("\(input.name) was put aside: \(why)")
          reading.add(StoredShard(number: number, bytes: []))
          continue
        }
        reading.add(StoredShard(number: number, bytes: bytes))
        await onThread { starts.ended(input.name) }
      } catch {
        problems.append("\(error)")
        // As good as damaged: it is replaced, and its checks are rebuilt.
        reading.add(StoredShard(number: number, bytes: []))
      }
    }
    return (reading, problems)
  }

  func write(_ number: Int, _ bytes: [UInt8]) async throws(StateFile.Failure) {
    if let problem = await objection() { throw StateFile.Failure(description: problem) }
    try await file(number).write(bytes)
  }

  func remove(_ number: Int) async throws(StateFile.Failure) {
    if let problem = await objection() { throw StateFile.Failure(description: problem) }
    let file = StateFile(path: "\(disk.folder)/\(name(number))")
    try await file.remove()
  }

  /// Its files would be looked for, and written, wherever a link in its place leads.
  private func objection() async -> String? {
    await onThread { OwnFile.objection(toFolder: path).map { "\(path) \($0)" } }
  }
}

/// Names of four digits or more; nothing else in the folder is ours.
private func fileNumbers(_ path: String) -> [Int] {
  fileNames(in: path).compactMap { name in
    guard name.utf8.count >= 4, name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(name),
      number < 100_000
    else { return nil }
    return number
  }.sorted()
}

extension HistoryKeeper {
  /// Keeps the files in the state directory.
  init(on disk: StateDisk, _ starts: StartWatch, spool: ResultSpool, log: Logger, time: TimeSource) {
    self.init(folder: HistoryFolder(on: disk, starts), spool: spool, log: log, time: time)
    self.disk = disk
  }
}
