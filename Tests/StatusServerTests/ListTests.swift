// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import StatusServer

/// The list of checks: which, and which part of them.
@Suite struct ListTests {
  private func names(_ query: String) async throws -> [String] {
    try await withServer(try sampleSource()) { address in
      let answer = try await get(address, "/api/v1/checks\(query)")
      let document = try JSONValue.parse(Array(answer.body.utf8))
      return (document["data"]?.array ?? []).compactMap { $0["name"]?.string }
    }
  }

  /// The next part begins where the one before it ended.
  @Test func partsMakeTheWhole() async throws {
    let all = try await names("")
    #expect(all.count == 5)
    #expect(try await names("?limit=2") == Array(all[..<2]))
    #expect(try await names("?limit=2&offset=2") == Array(all[2..<4]))
    #expect(try await names("?limit=2&offset=4") == [all[4]])
    #expect(try await names("?limit=2&offset=5").isEmpty)
  }

  /// A check that is switched off is in no state.
  @Test func aDisabledCheckIsInNoState() async throws {
    #expect(try await names("?state=unknown") == ["Never ran yet"])
    #expect(try await names("?q=old+site") == ["Old site"])
    #expect(try await names("?state=unknown&q=old+site").isEmpty)
  }

  /// The store's pages: what may be asked for, with the first and the last value of each range beside what lies outside.
  @Test(arguments: [
    ("limit=1", 404), ("limit=0", 400), ("limit=5000", 404), ("limit=5001", 400), ("after=0", 404),
    ("after=-1", 400), ("after=4611686018427387904", 404), ("after=4611686018427387905", 400),
    ("waiting=yes", 400),
    ("waiting=true", 404),
  ])
  func boundsOfStoredResults(query: String, status: Int) async throws {
    try await withServer(try sampleSource()) { address in
      let answer = try await get(address, "/api/v1/spool/results?\(query)")
      #expect(answer.status == status, "404: no store here")
    }
  }
}
