// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The public face's requests. It has its own addresses and knows no others; whatever is private is not behind a filter
/// but not here.
struct PublicRoutes: Answering {
  let desk: PublicDesk
  var feed: LiveFeed? { nil }

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
    var reply = await route(path.segments)
    reply.omitsBody = request.method == .head
    return reply
  }

  private func route(_ segments: [String]) async -> Reply {
    switch segments {
    case []: return await desk.page()
    case ["livez"]: return Reply(200, text: "alive\n")
    case ["feed.atom"]: return Reply(200, .atom, await desk.feed()).shared()
    case let segments where segments.count == 3 && segments[0] == "badge":
      return await badge(segments[1], segments[2])
    default: return failure(404, "NOT_FOUND", "no such page; the start page is /")
    }
  }

  private func badge(_ text: String, _ name: String) async -> Reply {
    guard let badge = Badge.Kind(file: name) else {
      return Reply(404, .svg, Badge(label: "badge", value: "no such badge", tone: .unknown).render()).shared()
    }
    guard let id = UniqueID(text), let check = await desk.check(id) else {
      return Reply(404, .svg, Badge(label: badge.label, value: "not found", tone: .unknown).render()).shared()
    }
    return Reply(200, .svg, Badge(badge, of: check).render()).shared()
  }

  func failure(_ status: Int, _ code: String, _ message: String) -> Reply {
    Reply(status, text: message + "\n")
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

/// Keeps what the public sees for a few seconds, so that a flood of readers costs as much as one.
actor PublicDesk {
  private let face: PublicFace
  private let source: any StatusSource
  private var picture: PublicPicture?
  private var rendered: Reply?
  private var atom: [UInt8]?

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
    (picture, rendered, atom) = (fresh, nil, nil)
    return fresh
  }

  func page() async -> Reply {
    let picture = await current()
    if let rendered { return rendered }
    let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
    let reply = Reply(
      200, .html, Array(PublicPage(picture: picture).render(nonce: nonce).html.utf8), styleNonce: nonce
    ).shared()
    rendered = reply
    return reply
  }

  func feed() async -> [UInt8] {
    let picture = await current()
    if let atom { return atom }
    let bytes = Array(AtomFeed(picture: picture).render().html.utf8)
    atom = bytes
    return bytes
  }

  func check(_ id: UniqueID) async -> PublicCheck? { await current().checks.first { $0.id == id } }
}
