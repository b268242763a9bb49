// SPDX-License-Identifier: MIT

import Basics
import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif
import History
import Logging
import Monitoring
import StatusSupport
import Testing
@testable import Status
@testable import StatusServer

/// What everybody may see, and nothing else.
@Suite struct PublicFaceTests {
  private func withPublic<Value: Sendable>(
    _ face: PublicFace, _ source: FixedSource,
    _ body: @escaping @Sendable (ListenAddress) async throws -> Value
  ) async throws -> Value {
    let (addresses, continuation) = AsyncStream.makeStream(of: ListenAddress.self)
    let server = LocalStatusServer(
      public: face, listen: .tcp(host: "127.0.0.1", port: 0), source: source,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await server.run { continuation.yield($0) }
      }
      let address = try #require(await addresses.first { _ in true })
      let value = try await body(address)
      group.cancelAll()
      try await group.waitForAll()
      return value
    }
  }

  private let face = PublicFace(
    title: "Example <services>", groups: ["prod"], checks: ["Search"], hidesTargets: true)

  /// Every address of the face, for one check of it.
  private func addresses(_ id: UniqueID) -> [String] {
    ["/", "/?lang=ja", "/feed.atom", "/feed.json", "/widget", "/livez", "/badge/state.svg"]
      + ["/badge/\(id)/state.svg", "/badge/\(id)/latency.svg"]
      + UptimePeriod.allCases.map { "/badge/\(id)/uptime-\($0.rawValue).svg" }
  }

  /// Nothing of what is private is in any answer: targets, messages, reasons, tags, other checks, the agent.
  @Test func nothingPrivateIsShown() async throws {
    let source = try sampleSource()
    let shop = try #require(source.status.checks.first { $0.name == "Shop front" })
    let others = source.status.checks.filter { !["Shop front", "Search"].contains($0.name) }
    let addresses = addresses(shop.id)
    try await withPublic(face, source) { address in
      var all = ""
      for place in addresses {
        let answer = try await get(address, place, host: "anything.example")
        #expect(answer.status == 200, "\(place)")
        all += answer.head + answer.body
      }
      #expect(
        all.contains("Shop front") && all.contains("Search") && all.contains("Example &lt;services&gt;"))
      let secrets =
        [
          "shop.example", "search.example", "team:shop", "london-1", "eu-west", "0.1.0", "503", "http_status",
          "script>alert", "script&gt;alert", "response_time", "anything.example", "45210", "1234",
        ] + others.map(\.id.description) + ["Mail", "Never ran yet", "Old site"]
      for secret in secrets { #expect(!all.contains(secret), "\(secret) is shown") }
    }
  }

  /// With `hide_targets: false` the targets are there, and still nothing else.
  @Test func targetsWhereTheyAreWanted() async throws {
    var open = face
    open.hidesTargets = false
    try await withPublic(open, try sampleSource()) { address in
      let page = try await get(address, "/").body
      #expect(page.contains("shop.example") && !page.contains("503"))
    }
  }

  /// The private addresses do not exist here, whatever the method, and nothing is written.
  @Test func privateAddressesAreNotThere() async throws {
    let source = try sampleSource()
    let id = try #require(source.status.checks.first?.id.description)
    try await withPublic(face, source) { address in
      for place in [
        "/api/v1/summary", "/metrics", "/checks/\(id)", "/events", "/readyz", "/api/v1/checks/\(id)/run",
        "/api/v1/mutes", "/api/v1/posts", "/logo", "/badge/\(id)", "/badge/\(id)/secret.svg",
        "/badge/x/state.svg", "//", "/../metrics",
      ] where place != "//" {
        #expect(try await get(address, place).status == 404, "\(place)")
      }
      for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let answer = try await get(address, "/", method: method)
        #expect(answer.status == 405 && answer.header("Allow") == "GET, HEAD")
      }
      let head = try await get(address, "/", method: "HEAD")
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(head.header("Cache-Control") == "public, max-age=30")
    }
  }

  /// A check that is not shown has no badge, though it exists.
  @Test func badgesOfShownChecksOnly() async throws {
    let source = try sampleSource()
    let mail = try #require(source.status.checks.first { $0.name.hasPrefix("Mail") })
    try await withPublic(face, source) { address in
      let answer = try await get(address, "/badge/\(mail.id)/state.svg")
      #expect(answer.status == 404 && answer.body.contains("not found") && !answer.body.contains("Mail"))
      #expect(answer.header("Content-Type") == "image/svg+xml")
    }
  }

  /// Each state says its word; what is not known is never green, and little data is no colour.
  @Test func badgesSayTheState() {
    for (state, tone) in [
      (PublicCheck.State.up, Badge.Tone.up), (.degraded, .degraded), (.down, .down), (.unknown, .unknown),
      (.maintenance, .unknown),
    ] {
      #expect(Badge.Tone(state) == tone)
    }
    #expect(Badge.Tone(uptime: nil) == .unknown && Badge.Tone(uptime: 98) == .degraded)
    let hostile = Badge(label: "<a&\"'>", value: String(repeating: "w", count: 300), tone: .up).render()
    let text = String(decoding: hostile, as: UTF8.self)
    #expect(!text.contains("<a&") && text.contains("&lt;a&amp;") && text.utf8.count < 2000)
  }

  /// Joiners of a name do their work on a badge as on the page, and take no room; a long name is cut.
  @Test func namesOnBadges() {
    let (plain, joined) = ("فروشگاهها", "فروشگاه\u{200c}ها")
    let badges = [plain, joined].map { Badge(label: $0, value: "x", tone: .up).render() }
    let text = String(decoding: badges[1], as: UTF8.self)
    #expect(text.contains("<title>\(joined): x</title>") && !text.contains("{200c}"))
    #expect(badges[1].count == badges[0].count + 3 * 3, "the same width; the name is there three times")
    let long = Badge(label: String(repeating: "w", count: 81), value: "x", tone: .up).render()
    #expect(
      String(decoding: long, as: UTF8.self).contains(
        "<title>\(String(repeating: "w", count: 77))…: x</title>"))
  }

  /// The feed is XML with stable ids, the newest change first.
  @Test func theFeed() async throws {
    let source = try sampleSource()
    try await withPublic(face, source) { address in
      let answer = try await get(address, "/feed.atom")
      #expect(answer.header("Content-Type")?.hasPrefix("application/atom+xml") == true)
      let document = try XMLReader(answer.body)
      let ids = document.texts("id")
      #expect(ids.count == 3 && Set(ids).count == ids.count && ids.allSatisfy { $0.hasPrefix("urn:uuid:") })
      #expect(ids.first == "urn:uuid:fdfcbafd-3042-5781-94c9-ccb56735d0ce", "the same for good")
      let stamps = document.texts("updated").dropFirst()
      #expect(Array(stamps) == stamps.sorted(by: >))
      #expect(document.texts("title").contains("Shop front is down"))
      #expect(document.texts("title").contains { $0 == "Shop front was down for 1 min" })
      #expect(try await get(address, "/feed.atom").body == answer.body)
    }
  }

  /// In the time of the sample agent.
  private func minute(_ number: Int) -> String { started.advanced(by: .seconds(60 * number)).rfc3339 }

  /// Down from minute 117 on, and in minute 70: when each began, and when it was last heard of.
  @Test func theTimesOfTheFeed() async throws {
    let source = try sampleSource()
    try await withPublic(face, source) { address in
      let document = try XMLReader(try await get(address, "/feed.atom").body)
      #expect(document.texts("published") == [minute(117), minute(70)])
      #expect(document.texts("updated") == [minute(117), minute(117), minute(71)])
      #expect(
        document.texts("content") == [
          "Since Thu 1 Jan, 01:57 UTC.", "Thu 1 Jan, 01:10 UTC to 01:11 UTC",
        ])
      #expect(
        document.texts("title") == [
          "Example <services>", "Shop front is down", "Shop front was down for 1 min",
        ])
    }
  }

  /// One that began before another and ended after it is the newer news.
  @Test func theLastToEndIsFirst() async throws {
    var source = try sampleSource()
    let checks = source.status.checks.filter { ["Shop front", "Search"].contains($0.name) }
    let store = HistoryStore()
    let known = try [
      makeCheck("Shop front", host: "shop.example", tags: ["team:shop", "prod"]),
      makeCheck("Search", host: "search.example"),
    ]
    store.apply(known, now: started)
    for minute in 0..<120 {
      for (check, down) in zip(known, [30..<60, 40..<50]) {
        let state: CheckState = down.contains(minute) ? .down : .up
        store.record(makeResult(check, minute: minute, state: state), interval: .seconds(60))
      }
    }
    source.store = store
    #expect(checks.map(\.id).allSatisfy { id in known.contains { $0.id == id } })
    try await withPublic(face, source) { address in
      let document = try XMLReader(try await get(address, "/feed.atom").body)
      #expect(document.texts("updated") == [minute(60), minute(60), minute(50)])
      #expect(document.texts("published") == [minute(30), minute(40)])
      #expect(document.texts("title").dropFirst().map { $0.prefix(6) } == ["Shop f", "Search"])
    }
  }

  /// Outages that last come before those that are over, of both the newest first, and twenty in all.
  @Test func theOrderOfOutages() async throws {
    var picture = await PublicPicture(face, from: try sampleSource())
    func outage(_ hours: Int, isOver: Bool) -> PublicCheck.Downtime {
      let begin = now.advanced(by: .seconds(-3600 * hours))
      return PublicCheck.Downtime(
        begin: begin, end: isOver ? begin.advanced(by: .seconds(60)) : nil, length: .seconds(60))
    }
    try #require(picture.sections.count == 2)
    picture.sections[0].checks[0].outages = [outage(1, isOver: true), outage(50, isOver: false)]
    picture.sections[1].checks[0].outages =
      (2...30).map { outage($0, isOver: true) } + [outage(40, isOver: false)]
    let html = PublicPage(picture: picture).render(nonce: "n").html
    let rest = html.components(separatedBy: "Outages of the last 90 days").last ?? ""
    let list = rest.components(separatedBy: "</section>").first ?? ""
    let shown = list.matches(of: /<time datetime="([^"]*)">/).map { String($0.1) }
    #expect(shown == ([40, 50] + Array(1...18)).map { outage($0, isOver: true).begin.rfc3339 })
    #expect(list.contains("and 12 before"))
  }

  /// A state that is too old is no state.
  @Test func staleIsUnknown() async throws {
    var source = try sampleSource()
    for place in source.status.checks.indices { source.status.checks[place].stale = true }
    try await withPublic(face, source) { address in
      let page = try await get(address, "/").body
      #expect(page.contains("is not known at present") && !page.contains("All services work"))
    }
  }
}

/// The texts of elements, by name; throws where it is no XML.
private final class XMLReader: NSObject, XMLParserDelegate {
  private var found: [(name: String, text: String)] = []
  private var open: [(name: String, text: String)] = []

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderInvalidValue) }
  }

  func texts(_ name: String) -> [String] { found.filter { $0.name == name }.map(\.text) }

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?, attributes attributeDict: [String: String]
  ) {
    open.append((elementName, ""))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if !open.isEmpty { open[open.count - 1].text += string }
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?
  ) {
    if let last = open.popLast() { found.append(last) }
  }
}
