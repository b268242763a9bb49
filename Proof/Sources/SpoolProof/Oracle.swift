// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Synchronization

/// The receiver: keeps the number and the hash of every result that arrives, what the writer said was recorded, and
/// the gap records it showed.
final class Oracle: Sendable {
  struct Gap: Hashable {
    var cause: String
    var lost: Int
    var sequences: ClosedRange<UInt64>

    /// Results given up, as opposed to damage, which has no place in these proofs.
    var isDrop: Bool { cause == "ring_full" || cause == "memory_overflow" }
  }

  struct Book {
    /// The sequence of each.
    var recorded: [Int: UInt64] = [:]
    var delivered: Set<Int> = []
    /// As the store showed them last: it remembers all it lost.
    var gaps: Set<Gap> = []
    var resent = 0
    var altered: [Int] = []
  }

  private let book = Mutex(Book())

  var snapshot: Book { book.withLock { $0 } }

  /// Goes back to what was recorded and dropped then; what was delivered since stays delivered.
  func forget(to earlier: Book) {
    book.withLock { book in
      book.recorded = earlier.recorded
      book.gaps = earlier.gaps
    }
  }

  private func take(_ line: Substring) -> Bool {
    let words = line.split(separator: " ")
    return book.withLock { book in
      switch words.first {
      case "R":
        guard words.count == 3, let number = Int(words[1]), let sequence = UInt64(words[2]) else { break }
        book.recorded[number] = sequence
      case "S": book.gaps = []
      case "G":
        guard words.count == 5, let lost = Int(words[2]), let first = UInt64(words[3]),
          let last = UInt64(words[4]), first <= last
        else { break }
        book.gaps.insert(Gap(cause: String(words[1]), lost: lost, sequences: first...last))
      case "D":
        guard words.count == 3, let number = Int(words[1]), let hash = UInt64(words[2]) else { break }
        if hash != proofHash(proofRecord(number)) { book.altered.append(number) }
        if !book.delivered.insert(number).inserted { book.resent += 1 }
      case "E": return true
      default: break
      }
      return false
    }
  }

  /// Reads what a writer says until its socket ends, and answers every batch.
  func listen(_ descriptor: Int32) {
    var rest = ""
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      rest += String(decoding: buffer[..<count], as: UTF8.self)
      while let end = rest.firstIndex(of: "\n") {
        if take(rest[..<end]) {
          var answer: UInt8 = 1
          _ = send(descriptor, &answer, 1, Int32(MSG_NOSIGNAL))
        }
        rest.removeSubrange(...end)
      }
    }
  }
}

/// A writer process and the thread that listens to it.
final class WriterProcess {
  private let process = Process()
  private let descriptor: Int32
  private let heard = DispatchSemaphore(value: 0)

  init(_ arguments: [String], oracle: Oracle) throws {
    var pair: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0
    else {
      throw ProofFailure("no socket: \(String(cString: strerror(errno)))")
    }
    descriptor = pair[0]
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardInput = FileHandle(fileDescriptor: pair[1], closeOnDealloc: false)
    try process.run()
    Glibc.close(pair[1])
    let (descriptor, heard) = (descriptor, heard)
    Thread.detachNewThread {
      oracle.listen(descriptor)
      heard.signal()
    }
  }

  var isRunning: Bool { process.isRunning }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for the end of the process and of what it said. Returns its exit status.
  func finish() -> Int32 {
    process.waitUntilExit()
    heard.wait()
    Glibc.close(descriptor)
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}
