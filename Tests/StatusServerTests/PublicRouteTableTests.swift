// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status
import StatusSupport
import Testing
@testable import StatusServer

/// What the public page's server refuses, and what it answers to each address.
@Suite struct PublicRouteTableTests {
  private func routes(_ change: (inout PublicFace) -> Void = { _ in }) throws -> PublicRoutes {
    var face = publicFace
    change(&face)
    return PublicRoutes(face, source: try sampleSource())
  }

  private func text(_ reply: Reply) -> String { String(decoding: reply.body, as: UTF8.self) }

  /// The method, then the body, then the address, to its last byte.
  @Test func refusals() async throws {
    let routes = try routes()
    let long = "/" + String(repeating: "a", count: 2047)
    let rows: [(StatusRequest, String)] = [
      (
        StatusRequest(method: .post, target: "/%zz", hasBody: true),
        "405 only GET and HEAD are possible here\n"
      ),
      (StatusRequest(method: .other, target: "/"), "405 only GET and HEAD are possible here\n"),
      (StatusRequest(target: "/%zz", hasBody: true), "413 a request here has no body\n"),
      (StatusRequest(target: "/%zz"), "400 the address is malformed or too long\n"),
      (StatusRequest(target: long), "404 no such page; the start page is /\n"),
      (StatusRequest(target: long + "a"), "400 the address is malformed or too long\n"),
      (StatusRequest(target: "/logo"), "404 no such page; the start page is /\n"),
      (StatusRequest(target: "/badge"), "404 no such page; the start page is /\n"),
      (StatusRequest(target: "/livez/x"), "404 no such page; the start page is /\n"),
      (StatusRequest(target: "/livez"), "200 alive\n"),
    ]
    for (request, expected) in rows {
      let reply = await routes.reply(to: request)
      #expect("\(reply.status) \(text(reply))" == expected, "\(request.target.prefix(20))")
      #expect(reply.allow == (reply.status == 405 ? "GET, HEAD" : nil) && !reply.isShared)
    }
    for target in ["/", "/livez", "/none", "/feed.atom", "/badge/state.svg"] {
      #expect(await routes.reply(to: StatusRequest(method: .head, target: target)).omitsBody, "\(target)")
      #expect(await !routes.reply(to: StatusRequest(target: target)).omitsBody, "\(target)")
    }
  }

  /// What may be framed, and what pictures a page may show.
  @Test func policies() async throws {
    let plain = try await routes().reply(to: StatusRequest(target: "/"))
    #expect(plain.policy.contains("img-src data:;") && plain.policy.hasSuffix("frame-ancestors 'none'"))
    let logo = try routes { $0.logo = PublicFace.Logo([0x89, 0x50, 0x4e, 0x47]) }
    let page = await logo.reply(to: StatusRequest(target: "/"))
    #expect(page.policy.contains("img-src 'self' data:;"))
    let picture = await logo.reply(to: StatusRequest(target: "/logo"))
    #expect(picture.kind.contentType == "image/png" && picture.isShared && picture.status == 200)
    let widget = await logo.reply(to: StatusRequest(target: "/widget"))
    #expect(widget.policy.contains("img-src data:;") && widget.policy.hasSuffix("frame-ancestors *"))
    let kinds: [([UInt8], String)] = [
      ([0xff, 0xd8, 0xff], "image/jpeg"), (Array("RIFF....WEBP".utf8), "image/webp"),
      (Array("<svg/>".utf8), "image/svg+xml"),
    ]
    for (bytes, type) in kinds {
      let reply = try await routes { $0.logo = PublicFace.Logo(bytes) }.reply(
        to: StatusRequest(target: "/logo"))
      #expect(reply.kind.contentType == type && reply.body == bytes)
    }
  }
}
