// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

/// What the list on disk holds of a URL.
@Suite struct CachedQueryTests {
  private func kept(_ url: String, keeps: Bool = false) async throws -> (text: String, list: PulledChecks) {
    let file = MemoryBytes()
    var wire = try CheckMappingTests.wire(1, #""check_type":"http","url":"https://a.test/""#)
    wire.url = url
    let cache = CheckListCache(file: file, base: try HTTPURL("https://api.test/v1"), keepsSecrets: keeps)
    try await cache.save(CheckSnapshot(checks: [wire], isCut: false, windows: []), pulledAt: dawn)
    var loaded: CheckSnapshot?
    if case .list(let snapshot, _) = await cache.load() { loaded = snapshot }
    let list = CheckMapping(MappingRules()).map(try #require(loaded))
    return (String(decoding: try await file.read() ?? [], as: UTF8.self), list)
  }

  /// A query is where keys are, whatever stands around it; a check that had one waits for the API.
  @Test(arguments: [
    "https://a.test/x?token=s3cret", "https://a.test?s3cret", "https://a.test/?\u{301}s3cret",
    "https://a.test/p?a=1#s3cret", "https://u:s3cret@a.test/?k=s3cret", "https://a.test/??s3cret", "x?s3cret",
    "https://a.test/?",
  ])
  func holdsNoQuery(url: String) async throws {
    let (text, list) = try await kept(url)
    #expect(!text.contains("s3cret"), "\(text)")
    #expect(list.checks.isEmpty)
    #expect(list.skipped.first?.what.contains("not kept on disk") == true, "\(list.skipped)")
  }

  /// A fragment goes to no server: without it the check is what it was.
  @Test(arguments: ["https://a.test/x", "https://a.test/x#top?s3cret"])
  func withoutAQueryItRunsAtOnce(url: String) async throws {
    let (text, list) = try await kept(url)
    #expect(!text.contains("s3cret"))
    #expect(list.checks.count == 1)
    #expect(list.checks.first?.target == "https://a.test/x")
  }

  @Test func cacheCredentialsKeepsIt() async throws {
    let (text, list) = try await kept("https://a.test/x?token=s3cret", keeps: true)
    #expect(text.contains("s3cret"))
    #expect(list.checks.count == 1)
  }
}
