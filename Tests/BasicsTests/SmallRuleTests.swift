// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import Testing

@testable import Basics

/// Rules of a line or two, each at its edges.
@Suite struct SmallRuleTests {
  @Test func aMapIsEmptyWhenBothHalvesAre() {
    var map = RecentMap<Int, Int>(limit: 4)
    #expect(map.isEmpty && map.limit == 4 && RecentMap<Int, Int>(limit: 0).limit == 2)
    for key in 0..<3 { map.insert(key, for: key) }
    map.remove(2)
    #expect(!map.isEmpty && map.count == 2, "the older half")
    map.insert(5, for: 5)
    map.keep { $0 == 5 }
    #expect(!map.isEmpty && map.count == 1, "the newer half")
    map.remove(5)
    #expect(map.isEmpty)
  }

  /// A key that is among the newer half takes no room of its own.
  @Test func aKeyThatComesAgainMovesNothing() {
    var map = RecentMap<Int, String>(limit: 4)
    for key in [8, 9, 0, 1] { map.insert("old", for: key) }
    map.insert("new", for: 1)
    #expect(map.count == 4 && map[8] == "old" && map[9] == "old" && map[1] == "new")
    // One of the older half is one of the newer from there on.
    map.insert("new", for: 8)
    #expect(map.count == 3 && map[9] == nil && map[0] == "old" && map[1] == "new" && map[8] == "new")
  }

  @Test func whatIsUsualOfTLS() {
    let options = TLSOptions()
    #expect(options.verify && options.minimumVersion == .v12 && options.maximumVersion == nil)
    #expect(!options.isStrict && !options.asksBoth && options.keySort == nil && options.caFile == nil)
    #expect(KeySort.allCases.map(\.rawValue) == ["ECDSA", "RSA"])
    #expect(KeySort.ecdsa.signatures == "ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:ed448")
    let rsa = KeySort.rsa.signatures.split(separator: ":").map(String.init)
    #expect(
      rsa == [
        "rsa_pss_rsae_sha256", "rsa_pss_rsae_sha384", "rsa_pss_rsae_sha512", "rsa_pss_pss_sha256",
        "rsa_pss_pss_sha384", "rsa_pss_pss_sha512", "RSA+SHA256", "RSA+SHA384", "RSA+SHA512", "RSA+SHA1",
      ])
  }

  @Test(
    arguments: [
      (.month, "2026-10", "October 2026", "Oct 2026", 31, "2026-12"),
      (.month, "2024-02", "February 2024", "Feb 2024", 29, "2024-04"),
      (.week, "2026-W44", "Week 44, 26 Oct to 1 Nov 2026", "W44 2026", 7, "2026-W46"),
      (.week, "2020-W53", "Week 53, 28 Dec to 3 Jan 2021", "W53 2020", 7, "2021-W02"),
      (.week, "2021-W01", "Week 1, 4 Jan to 10 Jan 2021", "W01 2021", 7, "2021-W03"),
    ] as [(CalendarPeriod.Unit, String, String, String, Int, String)])
  func aPeriod(
    unit: CalendarPeriod.Unit, text: String, words: String, short: String, days: Int, later: String
  ) throws {
    let period = try #require(unit.period(text: text))
    #expect(period.unit == unit && period.text == text && "\(period)" == text)
    #expect(period.words == words && period.shortWords == short && period.days.count == days)
    #expect(period.adding(2).text == later && period.adding(2).adding(-2) == period)
    #expect(unit.period(of: period.start) == period && unit.period(of: period.end) == period.adding(1))
    #expect(period.start.duration(to: period.end) == .seconds(86_400 * days))
  }

  @Test(
    arguments: [
      ("Tuesday, 01-Jan-69 00:00:00 GMT", 3_124_224_000), ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
      ("Sun, 06 Nov 1994 08:49:37 GMT x", nil), ("Sun Nov 6 08:49:37", nil),
      ("Sun, 06 Nov x994 08:49:37 GMT", nil), ("Sun, x6 Nov 1994 08:49:37 GMT", nil),
      ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_777),
    ] as [(String, Int64?)])
  func datesOfTwoDigits(text: String, seconds: Int64?) {
    #expect(HTTPDate.parse(text) == seconds.map { Timestamp(seconds: $0) })
  }

  @Test(
    arguments: [
      (String(repeating: "ü", count: 1025), "is longer than 2048 bytes"),
      (
        String(repeating: "ü", count: 1024), "has a label that is longer than 63 bytes in the form of the DNS"
      ),
      (String(repeating: "ü", count: 253), "has a label that is longer than 63 bytes in the form of the DNS"),
      ("①.example", "has the character U+2460, which no host name has"),
      ("a\u{ad}ü", "has the character U+00AD, which no host name has"),
      ("💩", "has the character U+1F4A9, which no host name has"),
      ("ü/x", "has the character U+002F, which no host name has"),
      ("\u{1112}\u{1161}", "has the character U+1112, which no host name has"),
      ("\u{301}ü", "has a label that starts with a mark"), ("-ü", "has a label that starts or ends with -"),
      ("a.ü-", "has a label that starts or ends with -"),
      ("ab--ü", "has a label with -- in the third and fourth place"),
      ("127。0。0。1", "is an address written with the dots of another script"),
    ])
  func whyItIsNoName(text: String, message: String) throws {
    let error = try #require(throws: InternationalName.Invalid.self) { try InternationalName.ascii(text) }
    #expect(error.message == message)
  }

  /// Thirty marks are ordered among themselves; one more begins another piece.
  @Test func marksAreOrderedByThirties() {
    func marks(_ count: Int) -> String { String(repeating: "\u{301}", count: count) }
    #expect(normalForm("a" + marks(29) + "\u{323}") == Array(("\u{1ea1}" + marks(29)).utf8))
    #expect(normalForm("a" + marks(30) + "\u{323}") == Array(("\u{e1}" + marks(29) + "\u{323}").utf8))
  }

  /// A socket leaves from the address it was given, and its port is chosen later.
  @Test func whereASocketLeavesFrom() throws {
    let loopback = try #require(IPAddress("127.0.0.1"))
    let source = try #require(IPAddress("127.0.0.5"))
    for wanted in [source, nil] as [IPAddress?] {
      let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      defer { close(number) }
      let address = SocketAddress(loopback, port: 9, source: wanted)
      #expect(address.bindSource(of: number) == 0)
      let name = try #require(socketName(number, getsockname))
      #expect(name.address == wanted ?? .v4(0) && name.port == 0)
      #expect(socketName(number, getpeername) == nil)
    }
    #expect(SocketAddress(loopback, port: 9, source: source).bindSource(of: -1) == -1)
    #expect(socketName(-1, getsockname) == nil)
    #expect(SocketAddress(loopback, port: 9).hasRoute)
  }

  /// A sleep of a span ends so long after the instant of the same clock; what ends it early is a cancellation.
  @Test func aSleepHasAnEnd() async throws {
    struct Broken: Error {}
    let ends = Mutex<[Int64]>([])
    let time = TimeSource(
      wall: { .epoch }, instant: { Instant(nanoseconds: 5_000_000_000) },
      reading: { ClockReading(boot: Instant(nanoseconds: 1), wall: .epoch) },
      wait: { instant in
        ends.withLock { $0.append(instant.nanoseconds) }
        if instant.nanoseconds == 0 { throw Broken() }
      })
    try await time.sleep(for: .seconds(2))
    try await time.sleep(until: Instant(nanoseconds: 7))
    await #expect(throws: CancellationError.self) { try await time.sleep(for: .seconds(-5)) }
    #expect(ends.withLock(\.self) == [7_000_000_000, 7, 0])
    #expect(ClockReading(boot: Instant(microseconds: 3), wall: Timestamp(microseconds: 10)).offset == 7)
  }

  @Test func aQueueSaysWhoWaits() {
    var queue = FairQueue<Int>()
    let start = Instant(nanoseconds: 9)
    #expect(queue.waits(for: .starts).isEmpty && !queue.waits(WorkOrigin(.asked, key: 1)))
    queue.append(1, for: WorkOrigin(.asked, key: 1), at: start)
    #expect(queue.waits(WorkOrigin(.asked, key: 1)) && !queue.waits(WorkOrigin(.asked, key: 2)))
    #expect(!queue.waits(WorkOrigin(.tokens, key: 1)) && queue.count(of: .asked) == 1)
    #expect(queue.removeAll { $0 == 2 }.isEmpty && queue.count == 1)
    #expect(queue.removeAll { $0 == 1 } == [1] && queue.isEmpty)
    #expect(!queue.waits(WorkOrigin(.asked, key: 1)) && queue.since(of: .asked) == nil)
    #expect(
      QueueWait.Queue.allCases.map(\.rawValue)
        == ["starts", "memory", "handshakes", "decoding", "judging", "places"])
  }

  /// A file that is kept hands on what is asked of its bytes.
  @Test func aKeptFileAsksItsBytes() async throws {
    let bytes = AskedBytes()
    let disk = StateDisk(
      folder: "/nowhere",
      time: TimeSource(wall: { .epoch }, instant: { .now }, reading: { .now() }, wait: { _ in })
    ) { _ in bytes }
    let file = disk.file("f")
    #expect(try await file.read() == [9] && file.name == "f")
    await file.understood()
    #expect(await file.refusal(of: [1]) == "no [1]")
    try await file.save { nil }
    try await file.write([5])
    #expect(bytes.asked.withLock(\.self) == ["read", "understood", "refusal", "write [5]"])
    #expect(await StateFile(path: "/nowhere/f").refusal(of: []) == nil)
  }

  private final class AskedBytes: DurableBytes {
    let asked = Mutex<[String]>([])

    private func note(_ word: String) { asked.withLock { $0.append(word) } }

    func read() async throws(StateFile.Failure) -> [UInt8]? {
      note("read")
      return [9]
    }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) { note("write \(bytes)") }
    func understood() async { note("understood") }
    func refusal(of bytes: [UInt8]) async -> String? {
      note("refusal")
      return "no \(bytes)"
    }
  }

  /// Each byte that needs an escape needs it where it is alone too, and none beside it does.
  @Test func bytesThatNeedAnEscape() {
    func written(_ text: String) -> String {
      var json = JSONWriter()
      json.string(text)
      return json.text
    }
    for value in UInt8(0)...0x7f {
      let text = String(Character(Unicode.Scalar(value)))
      let short: [UInt8: String] = [0x0a: "\\n", 0x0d: "\\r", 0x09: "\\t", 0x22: "\\\"", 0x5c: "\\\\"]
      let hex = value < 0x20 || value == 0x7f ? "\\u00" + Base16.text([value]) : text
      #expect(written(text) == "\"\(short[value] ?? hex)\"")
    }
  }

  /// A URL holds every printable character of ASCII but a backslash, and no other.
  @Test func charactersOfAURL() {
    for value in UInt8(0)...0x7f {
      let isGood = value > 0x20 && value < 0x7f && value != 0x5c
      let text = "http://a/" + String(Character(Unicode.Scalar(value)))
      #expect(((try? HTTPURL(text)) != nil) == isGood, "\(value)")
    }
  }

  /// Digits without end are no number of hours, and none of a day.
  @Test(arguments: [
    "GMT99999999999999999999", "GMT0BST,J99999999999999999999,J2", "GMT0BST,M1.1.99999999999999999999,J2",
  ])
  func numbersWithoutEnd(text: String) { #expect(PosixZone(text: Array(text.utf8)) == nil) }
}
