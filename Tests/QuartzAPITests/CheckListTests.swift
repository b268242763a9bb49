// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

@Suite struct CheckListCacheTests {
  private func snapshot() throws -> CheckSnapshot {
    CheckSnapshot(
      checks: [
        try CheckMappingTests.wire(
          1, #""check_type":"port","ip_address":"db.test","port":5432,"retry_count":1"#),
        try CheckMappingTests.wire(
          2,
          #""check_type":"http","url":"https://a.test/","http_auth_type":"bearer","#
            + #""http_auth_credentials":{"token":"s3cret"},"custom_headers":{"X-Key":"hidden","n":[1,true,null]}"#
        ),
      ], isCut: true)
  }

  private func cache(_ file: any DurableBytes, keeps: Bool, base: String = "https://api.test/v1") throws
    -> CheckListCache
  {
    CheckListCache(file: file, base: try HTTPURL(base), keepsSecrets: keeps)
  }

  @Test func comesBackWithoutSecrets() async throws {
    let file = MemoryBytes()
    let snapshot = try snapshot()
    try await cache(file, keeps: false).save(snapshot, pulledAt: dawn)
    let text = String(decoding: file.bytes ?? [], as: UTF8.self)
    #expect(!text.contains("s3cret") && !text.contains("hidden") && !text.contains("X-Key"))
    var expected = snapshot
    expected.checks[1].secrets = WireCheck.Secrets(areMissing: true)
    #expect(try await cache(file, keeps: false).load() == .list(expected, pulledAt: dawn))
  }

  @Test func comesBackWholeWhereTheFileSaysSo() async throws {
    let file = MemoryBytes()
    let snapshot = try snapshot()
    try await cache(file, keeps: true).save(snapshot, pulledAt: dawn)
    #expect(try await cache(file, keeps: true).load() == .list(snapshot, pulledAt: dawn))
  }

  /// Saved again from what was loaded, a check still says that its secrets are missing.
  @Test func missingSecretsStayMissing() async throws {
    let file = MemoryBytes()
    try await cache(file, keeps: false).save(try snapshot(), pulledAt: dawn)
    guard case .list(let loaded, _) = try await cache(file, keeps: false).load() else { return }
    try await cache(file, keeps: true).save(loaded, pulledAt: dawn)
    #expect(try await cache(file, keeps: true).load() == .list(loaded, pulledAt: dawn))
  }

  @Test func damagedForeignOrAbsentListsAreNotUsed() async throws {
    #expect(try await cache(MemoryBytes(), keeps: false).load() == .none(nil))
    let file = MemoryBytes()
    try await cache(file, keeps: false).save(try snapshot(), pulledAt: dawn)
    #expect(
      try await cache(file, keeps: false, base: "https://other.test/v1").load()
        == .none("the check list on disk is another api's"))
    let bytes = file.bytes ?? []
    for cut in [0, 1, bytes.count / 2, bytes.count - 1] {
      guard case .none(.some) = try await cache(MemoryBytes(Array(bytes[..<cut])), keeps: false).load() else {
        Issue.record("a list cut at \(cut) is damaged")
        continue
      }
    }
  }
}
