// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

/// The public face's requests. It has its own addresses and knows no others; whatever is private is not behind a filter
/// but not here.
struct PublicRoutes: Answering {
  let desk: PublicDesk
  /// Of pages with names of their own.
  private(set) var pages: [ByteText: PublicDesk] = [:]
  var feed: LiveFeed? { nil }

  init(desk: PublicDesk) { self.desk = desk }

  init(_ face: PublicFace, source: any StatusSource) {
    desk = PublicDesk(face, source: source)
    for page in face.pages {
      pages[ByteText(String(page.path.dropFirst()))] = PublicDesk(page, source: source)
    }
  }

  /// Any name leads here: a public server is behind names that the agent does not know. None is repeated in an answer.
  func reply(to request: StatusRequest) async -> Reply {
    guard request.isReading else {
      var reply = failure(405, "METHOD_NOT_ALLOWED", "only GET and HEAD are possible here")
      reply.allow = "GET, HEAD"
      return reply
    }
    guard !request.hasBody else { return failure(413, "BODY_REFUSED", "a request here has no body") }
    guard request.target.utf8.count <= Routes.maxTarget, let path = RequestPath(request.target) else {
      return failure(400, "BAD_REQUEST", "the address is malformed or too long")
    }
    var reply: Reply
    if let name = path.segments.first, let page = pages[ByteText(name)] {
      reply = await route(Array(path.segments.dropFirst()), of: page, path, request)
    } else {
      reply = await route(path.segments, of: desk, path, request)
    }
    reply.omitsBody = request.method == .head
    return reply
  }

  private func route(
    _ segments: [String], of desk: PublicDesk, _ path: RequestPath, _ request: StatusRequest
  ) async -> Reply {
    let asked = path["lang"].flatMap { PublicLanguage(tag: $0) }
    // Programs are given the language of the address or the face's: what fetches for many people speaks none.
    let language = asked ?? desk.face.language
    switch segments {
    case []:
      var reply = await desk.page(asked ?? PublicLanguage(accepted: request.acceptLanguage) ?? language)
      if asked == nil { reply.varies.append("Accept-Language") }
      return reply
    case ["livez"]: return Reply(200, text: "alive\n")
    case ["feed.atom"]: return await desk.atom(language)
    case ["feed.json"]: return await desk.json(language)
    case ["widget"]: return await desk.widget(language)
    case ["logo"]:
      guard let logo = desk.face.logo else { break }
      return Reply(200, Reply.Kind(logo.kind), logo.bytes).shared()
    case let segments where segments.first == "badge":
      if let badge = await desk.badge(Array(segments.dropFirst()), language) { return badge }
    default: break
    }
    return failure(404, "NOT_FOUND", "no such page; the start page is /")
  }

  func failure(_ status: Int, _ code: String, _ message: String) -> Reply {
    Reply(status, text: message + "\n")
  }
}

extension Reply.Kind {
  fileprivate init(_ logo: PublicFace.Logo.Kind) {
    switch logo {
    case .png: self = .png
    case .jpeg: self = .jpeg
    case .webp: self = .webp
    case .svg: self = .svg
    }
  }
}

extension Reply {
  /// For embedding, and for half a minute.
  func shared() -> Reply {
    var reply = self
    reply.isShared = true
    return reply
  }
}

/// Keeps what the public sees for a few seconds, so that a flood of readers costs as much as one in each language.
actor PublicDesk {
  nonisolated let face: PublicFace
  private let source: any StatusSource
  private var picture: PublicPicture?
  /// Of this picture.
  private var rendered: [Rendering: Reply] = [:]

  private struct Rendering: Hashable {
    enum Kind { case page, atom, json, widget }

    var kind: Kind
    var language: PublicLanguage
  }

  /// How long a picture is shown.
  static let age: Duration = .seconds(5)

  init(_ face: PublicFace, source: any StatusSource) { (self.face, self.source) = (face, source) }

  private func current() async -> PublicPicture {
    let now = source.now
    if let picture {
      let age = picture.now.duration(to: now)
      if age >= .zero, age < Self.age { return picture }
    }
    let fresh = await PublicPicture(face, from: source)
    (picture, rendered) = (fresh, [:])
    return fresh
  }

  private func reply(
    _ kind: Rendering.Kind, _ language: PublicLanguage, _ render: (PublicPicture) -> Reply
  ) async -> Reply {
    let picture = await current()
    let key = Rendering(kind: kind, language: language)
    if let known = rendered[key] { return known }
    var reply = render(picture).shared()
    reply.language = language
    reply.pack()
    rendered[key] = reply
    return reply
  }

  private static func nonce() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

  func page(_ language: PublicLanguage) async -> Reply {
    await reply(.page, language) { picture in
      let nonce = Self.nonce()
      let html = PublicPage(picture: picture, language: language).render(nonce: nonce).html
      var reply = Reply(200, .html, Array(html.utf8), styleNonce: nonce)
      reply.hasOwnImages = picture.face.logo != nil
      return reply
    }
  }

  func widget(_ language: PublicLanguage) async -> Reply {
    await reply(.widget, language) { picture in
      let nonce = Self.nonce()
      let html = PublicWidget(picture: picture, language: language).render(nonce: nonce).html
      var reply = Reply(200, .html, Array(html.utf8), styleNonce: nonce)
      reply.mayBeFramed = true
      return reply
    }
  }

  func atom(_ language: PublicLanguage) async -> Reply {
    await reply(.atom, language) { picture in
      let feed = AtomFeed(feed: PublicFeed(picture: picture, language: language))
      return Reply(200, .atom, Array(feed.render().html.utf8))
    }
  }

  func json(_ language: PublicLanguage) async -> Reply {
    await reply(.json, language) { picture in
      Reply(200, .jsonFeed, JSONFeed(feed: PublicFeed(picture: picture, language: language)).render())
    }
  }

  /// `nil` where the address names no badge.
  func badge(_ segments: [String], _ language: PublicLanguage) async -> Reply? {
    Badge(segments, of: await current(), language).map { badge in
      Reply(badge.isFound ? 200 : 404, .svg, badge.render()).shared()
    }
  }
}
