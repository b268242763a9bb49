// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Spool

/// A store of which nobody takes anything: its space is taken as it is written.
@Suite struct UnreservedTests {
  /// Bytes that the ring has on the disk, and bytes that its files say they have.
  private func ring(_ path: String) throws -> (held: Int, said: Int) {
    var sum = (held: 0, said: 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasPrefix("results-") {
      var facts = stat()
      #expect(stat("\(path)/\(name)", &facts) == 0)
      sum.held += Int(facts.st_blocks) * 512
      sum.said += Int(facts.st_size)
    }
    return sum
  }

  /// Then delivery is switched on: what is missing is set aside, and what is stored stays.
  @Test func spaceIsSetAsideOnceItMatters() async throws {
    try await withTemporaryDirectory { folder in
      var settings = SpoolSettings(path: folder.path + "/spool", size: 16 << 20, durability: .always)
      settings.isReserved = false
      let first = try await ResultSpool.open(settings)
      #expect(first.status().isDurable)
      await first.close()
      let sparse = try ring(settings.path)
      #expect(sparse.said == 16 << 20 && sparse.held < 1 << 20, "\(sparse)")
      #expect(SpoolInspector.reservedBytes(path: settings.path) == 16 << 20)
      _ = try SpoolInspector(path: settings.path)
      #expect(try ring(settings.path).held == sparse.held, "looking sets nothing aside")
      settings.isReserved = true
      let second = try await ResultSpool.open(settings)
      await second.close()
      let whole = try ring(settings.path)
      #expect(whole.said == 16 << 20 && whole.held >= 16 << 20, "\(whole)")
    }
  }
}
