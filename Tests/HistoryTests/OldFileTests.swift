// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import HistorySupport
import Monitoring
import Testing

/// A file of the version before outages, as an agent wrote it: two checks whose ports refuse, each run three times or more.
@Suite struct OldFileTests {
  private static let version2 = """
    UUhJUwIAAgAAAAAAAEAAgAAAAAAAAAGGzMWEkJ6YAwAAAwGKmu/8oLywBoCcnDkCAYritoqgvLAGiprv/KC8sAYAAAGyyNoF
    hAGAuLhyBgAAAdjwPIQBgLi4cgYAAAHkkgqEAYC4uHIGAAAB2MQChAGAuLhyBgGSjpCJoLywBv7//////////wEBjPm2iqC8
    sAYBiprv/KC8sAa2ru/8oLywBgRkb3duD2Nvbm5lY3RfcmVmdXNlZAdjb25uZWN0AAFiACIxMjcuMC4wLjE6OSByZWZ1c2Vk
    IHRoZSBjb25uZWN0aW9uAAMEZG93bgGkAQRkb3duAV4EZG93bgFiAAAAAAAAQACAAAAAAAAAAofMxYSQnpgDAAAEAey2v5yh
    vLAGgJycOQIB7PC4jaC8sAbstr+cobywBgEMGVJbAAeEAZTHy3QGAbTI2gWEAez+uhoCAAAB2PA8hAGAxoaPAQgAAAHkkgqE
    AYDGho8BCAAAAdjEAoQBgMaGjwEIAZKOkImgvLAG/v//////////AQGu9LiNoLywBgHstr+cobywBra6v5yhvLAGBGRvd24P
    Y29ubmVjdF9yZWZ1c2VkB2Nvbm5lY3QAAWIAIzEyNy4wLjAuMToyMiByZWZ1c2VkIHRoZSBjb25uZWN0aW9uAAQEZG93bgFg
    BGRvd24BWgRkb3duAVoEZG93bgFi4bzIxg==
    """

  private func bytes() throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: Self.version2, options: .ignoreUnknownCharacters)))
  }

  private func check(_ number: Int) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    definition.id = "00000000-0000-4000-8000-00000000000\(number)"
    (definition.name, definition.type) = ("check \(number)", "tcp")
    (definition.host, definition.port) = ("127.0.0.1", 9)
    definition.interval = .seconds(60)
    return try MonitoringCheck(definition)
  }

  /// No history is lost by an upgrade, and the outage that lasts is there with the reason of the last result.
  @Test func aFileWithoutOutagesIsRead() throws {
    let checks = [try check(1), try check(2)]
    let store = HistoryStore(decoding: [StoredShard(number: 0, bytes: try bytes())])
    #expect(store.damage == nil)
    let saved = Timestamp(seconds: 1_795_438_243)
    store.apply(checks, now: saved)
    let figures = store.checks(now: saved)
    let counts = [checks[0].id: Int64(3), checks[1].id: 4]
    for status in figures {
      let window = status.window(.day)
      #expect(window.counts.down == counts[status.id] && window.uptime == 0, "\(window.counts.down)")
      let outage = try #require(status.outage)
      #expect(outage.reason == .connectRefused && outage.lastMessage == status.last?.message)
      #expect(outage.begin == status.last?.scheduledAt && outage.end == nil)
      // The one result whose words are known, and the time of all of them in its day.
      #expect(outage.results == 1 && status.counts.isEmpty)
      let month = CalendarPeriod.month(CalendarMonth(saved))
      let found = store.periods(through: month, count: 1, now: saved)[status.id]?.periods.last
      #expect(found?.time == window.time && found?.counts == window.counts)
    }
    // What is written next is of this version.
    store.missed(checks[0].id, count: 1)
    let restored = HistoryStore(decoding: store.files())
    restored.apply(checks, now: saved)
    #expect(restored.damage == nil && store.files().first?.bytes[4] == 5)
    #expect(restored.outages(checks[0].id, now: saved) == store.outages(checks[0].id, now: saved))
  }
}
