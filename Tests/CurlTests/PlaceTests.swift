// SPDX-License-Identifier: MIT

import Basics
import Curl
import TestSupport
import Testing

/// What is dialled is the plan's address, also where the URL names an address itself.
@Suite(.timeLimit(.minutes(1))) struct PlaceTests {
  private static let answer: @Sendable (LoopbackConnection) -> Void = { link in
    link.read(until: "\r\n\r\n")
    link.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    link.waitForEnd()
  }

  @Test func aURLMayNameThePlaceItself() async throws {
    try await withLoopbackServer(script: Self.answer) { server in
      let asked = TransferRequest(
        url: "http://127.0.0.1:\(server.port)/", plan: .address(try SocketAddress("127.0.0.1", server.port)),
        timeout: .seconds(10), goal: .body(limit: 10))
      try await withCurlEngine { engine in
        // One handle after the other: with the place in its URL, pinned to it, and once more.
        for url in [asked.url, "http://good.test:\(server.port)/", asked.url] {
          var asked = asked
          asked.url = url
          let report = try await engine.perform(asked)
          #expect(report.text == "ok")
        }
      }
    }
  }

  @Test(arguments: ["127.0.0.1:1", "127.0.0.2:{port}", "127.0.0.1:{port}0", "127.0.0.1", "127.0.0.11:{port}"])
  func anotherPlaceInTheURLIsNotDialled(authority: String) async throws {
    try await withLoopbackServer(script: Self.answer) { server in
      let place = authority.replacing("{port}", with: "\(server.port)")
      let asked = TransferRequest(
        url: "http://\(place)/", plan: .address(try SocketAddress("127.0.0.1", server.port)),
        timeout: .seconds(10),
        goal: .body(limit: 10))
      // A port beyond 65535 is no URL at all.
      let report = try await transfer(asked)
      if let port = Int(place.split(separator: ":").last ?? ""), port > 65_535 {
        #expect(report.failure?.kind == .local(.request))
      } else {
        #expect(report.text == "ok")
      }
      #expect(server.accepted <= 1)
    }
  }

  @Test func theURLsOwnAddressIsNoReasonToDialIt() async throws {
    try await withLoopbackServer(script: Self.answer) { server in
      let asked = TransferRequest(
        url: "http://127.0.0.1:\(server.port)/", plan: .address(try SocketAddress("127.0.0.2", server.port)),
        timeout: .seconds(10), goal: .body(limit: 10))
      let report = try await transfer(asked)
      #expect(report.failure?.kind == .connectRefused)
      #expect(server.accepted == 0)
    }
  }
}
