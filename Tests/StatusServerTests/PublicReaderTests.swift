// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Logging
import Monitoring
import StatusSupport
import Testing
@testable import Status
@testable import StatusServer

/// Languages, feeds, badges and the widget as readers are served them, and posts as operators write them.
@Suite struct PublicReaderTests {
  private func reply(
    _ target: String, languages: String? = nil, _ change: (inout PublicFace) -> Void = { _ in }
  )
    async throws -> (reply: Reply, text: String)
  {
    var face = PublicFace(title: "Example", groups: ["prod"], checks: ["Search"], hidesTargets: true)
    change(&face)
    let routes = PublicRoutes(desk: PublicDesk(face, source: try sampleSource()))
    var request = StatusRequest(target: target)
    request.acceptLanguage = languages
    let reply = await routes.reply(to: request)
    return (reply, String(decoding: reply.body, as: UTF8.self))
  }

  /// The address wins over the browser, the browser over the face; what depends on the browser says so to caches.
  @Test func theLanguageOfThePage() async throws {
    var found = try await reply("/")
    #expect(found.reply.language == .english && found.reply.varies == ["Accept-Language"])
    found = try await reply("/", languages: "fr-CA,en;q=0.5")
    #expect(found.reply.language == .french && found.text.contains("<html lang=\"fr\">"))
    #expect(found.text.contains("Shop front est en panne, Search répond lentement"))
    found = try await reply("/?lang=ja", languages: "fr")
    #expect(found.reply.language == .japanese && found.reply.varies.isEmpty)
    found = try await reply("/?lang=xx", languages: "nl") { $0.language = .german }
    #expect(found.reply.language == .german)
    for language in PublicLanguage.allCases {
      #expect(found.text.contains("href=\"?lang=\(language.rawValue)\" lang=\"\(language.rawValue)\""))
    }
  }

  /// Feeds are in the language of their address or of the face, whatever fetches them prefers.
  @Test func theLanguageOfFeeds() async throws {
    var found = try await reply("/feed.json", languages: "de")
    #expect(found.reply.kind.contentType == "application/feed+json; charset=utf-8")
    var json = try JSONValue.parse(found.reply.body)
    #expect(json["version"]?.string == "https://jsonfeed.org/version/1.1" && json["language"]?.string == "en")
    #expect(
      json["items"]?.array?.compactMap { $0["title"]?.string } == [
        "Shop front is down", "Shop front was down for 1 min",
      ])
    let ids = json["items"]?.array?.compactMap { $0["id"]?.string }
    found = try await reply("/feed.json?lang=de")
    json = try JSONValue.parse(found.reply.body)
    #expect(json["items"]?[0]?["title"]?.string == "Shop front ist ausgefallen")
    #expect(json["items"]?.array?.compactMap { $0["id"]?.string } == ids)
    #expect(try await reply("/feed.atom?lang=es").text.contains("xml:lang=\"es\""))
  }

  /// The widget alone may be framed; the badge of all checks has the headline.
  @Test func forOtherPages() async throws {
    var found = try await reply("/widget?lang=en")
    #expect(
      found.reply.policy.hasSuffix("frame-ancestors *")
        && found.text.contains("<bdi>Shop front</bdi> is down"))
    #expect(try await reply("/").reply.policy.hasSuffix("frame-ancestors 'none'"))
    found = try await reply("/badge/state.svg")
    #expect(found.text.contains("<title>Example: Shop front is down, Search is slow</title>"))
    found = try await reply("/badge/state.svg?lang=de")
    #expect(found.text.contains("Shop front ist ausgefallen, Search reagiert langsam"))
  }

  /// Readers of one picture share what was compressed for the first of them.
  @Test func aPageIsCompressedOnce() async throws {
    for target in ["/", "/feed.atom", "/feed.json", "/widget"] {
      var reply = try await reply(target).reply
      let isLarge = reply.body.count > Compression.threshold
      #expect(reply.packed == (isLarge ? Compression.gzip(reply.body) : nil))
      guard isLarge else { continue }
      var plain = reply
      plain.compress(for: "gzip;q=0")
      #expect(plain.body == reply.body && !plain.isCompressed && plain.varies.contains("Accept-Encoding"))
      reply.packed = [1, 2, 3]
      reply.compress(for: "gzip")
      #expect(reply.body == [1, 2, 3] && reply.isCompressed)
    }
    #expect(try await reply("/").reply.packed != nil)
  }

  /// A logo is served as what it is, and the page may show it.
  @Test func theLogo() async throws {
    let svg = Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)
    let found = try await reply("/logo") { $0.logo = PublicFace.Logo(svg) }
    #expect(found.reply.body == svg && found.reply.kind.contentType == "image/svg+xml")
    #expect(found.reply.policy.hasPrefix("default-src 'none'; base-uri"))
    let page = try await reply("/") { $0.logo = PublicFace.Logo(svg) }
    #expect(page.reply.policy.contains("img-src 'self' data:"))
    #expect(try await reply("/logo").reply.status == 404)
  }

  /// A page with a name of its own has its own checks, addresses and news, and none of the other's.
  @Test func pagesWithNames() async throws {
    var face = PublicFace(title: "Example", groups: ["prod"], checks: [], hidesTargets: true)
    var partners = PublicFace(title: "Partners", groups: [], checks: ["Search"], hidesTargets: true)
    partners.path = "/partners"
    face.pages = [partners]
    let source = try sampleSource()
    let shop = try #require(source.status.checks.first { $0.name == "Shop front" })
    let routes = PublicRoutes(face, source: source)
    func text(_ target: String) async -> (status: Int, text: String) {
      let reply = await routes.reply(to: StatusRequest(target: target))
      return (reply.status, String(decoding: reply.body, as: UTF8.self))
    }
    let (first, second) = (await text("/").text, await text("/partners").text)
    #expect(first.contains("Shop front") && !first.contains("Search") && !first.contains("artners"))
    #expect(second.contains("Search") && !second.contains("Shop front") && !second.contains("Example"))
    #expect(second.contains("href=\"/partners/feed.atom?lang=en\"") && second.contains("href=\"?lang=de\""))
    #expect(await text("/partners/").text.contains("<bdi>Partners</bdi>"))
    #expect(await text("/partners/feed.atom").text.contains("<title>Partners</title>"))
    #expect(await text("/partners/widget").text.contains("href=\"/partners/?lang=en\""))
    #expect(await text("/partners/badge/\(shop.id)/state.svg").status == 404)
    #expect(await text("/badge/\(shop.id)/state.svg").status == 200)
    #expect(await text("/partner").status == 404)
  }

  /// Each command in its form, and nothing for what makes no sense.
  @Test func commandsAboutPosts() throws {
    func wish(_ target: String) throws -> PostWish {
      try #require(RequestPath("/api/v1/" + target)).postWish()
    }
    #expect(
      try wish("posts?title=Payments+are%0Afailing&state=identified&target=Checkout&by=ann&text=a")
        == PostWish(
          .post(
            title: "Payments are failing", text: "a", state: .identified, target: .check("Checkout")),
          by: "ann"))
    #expect(
      try wish("posts?title=A")
        == PostWish(.post(title: "A", text: nil, state: .investigating, target: .everything)))
    #expect(
      try wish("posts/ab12cd/update?state=resolved")
        == PostWish(.update(id: "ab12cd", text: nil, state: .resolved)))
    #expect(
      try wish("posts/ab12cd/edit?title=B&text=") == PostWish(.edit(id: "ab12cd", title: "B", text: nil)))
    #expect(try wish("posts/ab12cd/delete") == PostWish(.delete(id: "ab12cd")))
    for wrong in ["posts", "posts?title=A&state=done", "posts?title=A&title=B"] {
      #expect(throws: BadRequest.self) { try wish(wrong) }
    }
    for path in ["posts", "posts/a/update", "posts/a/edit", "posts/a/delete"] {
      #expect(RequestPath("/api/v1/" + path)?.isOrder == true)
    }
    for path in ["posts/a", "posts/a/end", "posts/a/update/b"] {
      #expect(RequestPath("/api/v1/" + path)?.isOrder == false)
    }
  }

  /// Nor does an order say anything twice.
  @Test(arguments: [
    ("mutes?target=a&target=b&for=1h", "target"), ("maintenance?target=a&for=1h&for=2h", "for"),
    ("incidents/x/ack?by=ann&by=bob", "by"),
  ])
  func ordersThatSayItTwice(target: String, name: String) throws {
    let path = try #require(RequestPath("/api/v1/" + target))
    let refusal = #expect(throws: BadRequest.self) { try path.wish() }
    #expect(refusal?.message == "\(name) is given more than once")
  }

  /// Writing needs the token, reading what reading needs; the newest is first.
  @Test func writingNeedsTheToken() async throws {
    var source = try sampleSource()
    source.token = Redacted("run-0123456789")
    source.status.posts = (1...2).map {
      StatusPost(
        id: UniqueID(high: 1, low: $0), title: "Post \($0)", target: .everything,
        first: .init(at: started, state: .identified, by: "ann"))
    }
    try await withServer(source) { address in
      let read = try await get(address, "/api/v1/posts")
      let posts = try #require(try JSONValue.parse(read.body.utf8)["data"]?.array)
      #expect(posts.compactMap { $0["title"]?.string } == ["Post 2", "Post 1"])
      #expect(posts.first?["updates"]?[0]?["by"]?.string == "ann")
      #expect(try await get(address, "/api/v1/posts?title=A", method: "POST").status == 401)
      let head = "POST /api/v1/posts?title=A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      let right = try await exchange(address, head + "Authorization: Bearer run-0123456789\r\n\r\n")
      #expect(right.status == 409 && right.body.contains("nothing can be posted here"))
      #expect(try await get(address, "/api/v1/posts/a/update").header("Allow") == "POST")
      #expect(try await get(address, "/api/v1/posts", method: "PUT").header("Allow") == "GET, HEAD, POST")
    }
  }
}
