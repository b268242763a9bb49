// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Testing

@testable import Spool

/// The store's folder holds files of the agent's own and nothing that leads elsewhere.
@Suite struct LinkTests {
  enum Trick: CaseIterable { case symbolic, hard, pipe, folder, foreign }

  /// Whatever lies where a file of the store should be, it is refused with its path and what it is, and the file that
  /// it leads to keeps its bytes.
  @Test(arguments: Trick.allCases, ["cursor", "0000000000000001.seg"])
  func isNotFollowed(trick: Trick, name: String) throws {
    if trick == .foreign, geteuid() != 0 { return }
    let directory = try ScratchDirectory()
    let path = directory.path + "/spool"
    let files = try PosixFileSystem(path: path)
    let victim = directory.path + "/victim"
    try Data("precious".utf8).write(to: URL(filePath: victim))
    let place = path + "/" + name
    let words =
      switch trick {
      case .symbolic: (symlink(victim, place) == 0, "is a symbolic link").1
      case .hard: (link(victim, place) == 0, "has 2 names (hard links)").1
      case .pipe: (mkfifo(place, 0o600) == 0, "is not a regular file").1
      case .folder: (mkdir(place, 0o700) == 0, "").1
      case .foreign:
        (
          FileManager.default.createFile(atPath: place, contents: nil) && chown(place, 65_534, 0) == 0,
          "belongs to user 65534"
        ).1
      }
    for create in [true, false] {
      do throws(FileFault) {
        files.close(try files.open(name, create: create))
        Issue.record("opened \(trick)")
      } catch {
        guard case .refused(let why) = error else {
          #expect(trick == .folder, "\(error)")
          continue
        }
        #expect(why.contains(place) && why.contains(words), "\(why)")
      }
    }
    #expect(try String(contentsOf: URL(filePath: victim), encoding: .utf8) == "precious")
  }

  /// A cursor that has got another name is neither read nor written: a new one takes its place, the other keeps its
  /// bytes, and the operator is told what happened.
  @Test func aCursorWithTwoNamesIsReplacedAndTold() async throws {
    let directory = try ScratchDirectory()
    let settings = SpoolSettings(path: directory.path + "/spool", size: 4 << 20, segmentSize: 256 << 10)
    let spool = try await ResultSpool.open(settings)
    for number in 0..<5 { #expect(await spool.append(sampleRecord(number))) }
    await spool.acknowledge(.live, await spool.pending(.live, limit: 2).map(\.sequence))
    await spool.close()
    let (cursor, other) = (settings.path + "/cursor", directory.path + "/other")
    #expect(link(cursor, other) == 0)
    let bytes = try Data(contentsOf: URL(filePath: other))
    let looked = try SpoolInspector(path: settings.path)
    #expect(looked.status.notes.first?.what.contains("\(cursor) has 2 names (hard links)") == true)
    looked.release()
    let again = try await ResultSpool.open(settings)
    #expect(again.status().notes.first?.what.contains("\(cursor) has 2 names (hard links)") == true)
    #expect(again.status().isDurable && again.status().cursorDamaged == 1)
    #expect(again.status().depth == 5, "sent again, never lost")
    await again.acknowledge(.live, await again.pending(.live, limit: 9).map(\.sequence))
    await again.close()
    #expect(try Data(contentsOf: URL(filePath: other)) == bytes)
    let mended = try await ResultSpool.open(settings)
    #expect(
      mended.status().notes.allSatisfy { !$0.what.contains("hard links") } && mended.status().depth == 0)
    await mended.close()
  }
}
