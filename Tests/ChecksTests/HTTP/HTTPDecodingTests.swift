// SPDX-License-Identifier: MIT

import Basics
import Checks
import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

/// Compressed bodies: every coding, none when nobody asked, and bombs.
@Suite(.timeLimit(.minutes(2))) struct HTTPDecodingTests {
  private final class Seen: Sendable {
    let request = Mutex("")
    var text: String { request.withLock { $0 } }
  }

  private static let text = "a needle in a haystack"

  /// RFC 1951: one stored block.
  private static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt16(bytes.count)
    return [1, UInt8(count & 0xff), UInt8(count >> 8), UInt8(~count & 0xff), UInt8(~count >> 8)] + bytes
  }

  /// RFC 1950 around it.
  private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    let sum = b << 16 | a
    return [0x78, 0x01] + deflate(bytes) + (0..<4).map { UInt8(sum >> (24 - 8 * UInt32($0)) & 0xff) }
  }

  private static func packed(_ coding: String, _ bytes: [UInt8]) async throws -> [UInt8] {
    switch coding {
    case "raw deflate": return deflate(bytes)
    case "zlib deflate": return zlib(bytes)
    default:
      return try await withTemporaryDirectory { folder in
        let file = folder.appending(path: "data")
        try Data(bytes).write(to: file)
        let program =
          ["gzip": "/usr/bin/gzip", "br": "/usr/bin/brotli", "zstd": "/usr/bin/zstd"][coding] ?? ""
        let suffix = ["gzip": "gz", "br": "br", "zstd": "zst"][coding] ?? ""
        try runTool(program, [file.path], in: folder)
        return [UInt8](try Data(contentsOf: folder.appending(path: "data.\(suffix)")))
      }
    }
  }

  private func outcome(
    _ coding: String, _ body: [UInt8], seen: Seen = Seen(),
    _ change: (inout CheckDefinition) -> Void = { _ in }
  ) async throws -> ProbeOutcome {
    try await withLoopbackServer(script: { link in
      let asked = link.read(until: "\r\n\r\n")
      seen.request.withLock { $0 = asked }
      link.write("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n")
      link.write(body)
      link.waitForEnd()
    }) { server in
      try await ProbeBench().http(
        try httpCheck("http://good.test:\(server.port)/") {
          $0.http.expect.bodyContains = ["needle"]
          change(&$0)
        })
    }
  }

  @Test(arguments: ["gzip", "br", "zstd", "raw deflate", "zlib deflate"])
  func eachCodingIsDecoded(coding: String) async throws {
    let body = try await Self.packed(coding, Array(Self.text.utf8))
    let seen = Seen()
    let name = String(coding.split(separator: " ").last ?? "")
    let decoded = try await outcome(name, body, seen: seen)
    #expect(decoded.verdict == .ok, "\(decoded.verdict)")
    let accepted = seen.text.split(separator: "\r\n").first { $0.hasPrefix("Accept-Encoding:") }
    for wanted in ["gzip", "br", "zstd", "deflate"] { #expect(accepted?.contains(wanted) == true) }
  }

  /// RFC 9110 section 8.4: the codings are named in the order in which they were applied.
  @Test(arguments: [["zlib deflate", "gzip"], ["gzip", "br"], ["br", "zlib deflate"]])
  func codingsAreUndoneFromTheLastToTheFirst(codings: [String]) async throws {
    var body = Array(Self.text.utf8)
    for coding in codings { body = try await Self.packed(coding, body) }
    let names = codings.map { $0.split(separator: " ").last ?? "" }.joined(separator: ", ")
    let decoded = try await outcome(names, body)
    #expect(decoded.verdict == .ok, "\(decoded.verdict)")
  }

  @Test func withoutDecompressionTheBytesAreJudgedAsTheyCame() async throws {
    let body = try await Self.packed("gzip", Array(Self.text.utf8))
    let seen = Seen()
    let raw = try await outcome("gzip", body, seen: seen) { $0.http.decompress = false }
    #expect(raw.verdict.reason == .body)
    #expect(seen.text.contains("Accept-Encoding: identity\r\n"))
    let stored = try await outcome("deflate", Self.deflate(Array(Self.text.utf8))) {
      $0.http.decompress = false
    }
    // A stored block holds the text as it is.
    #expect(stored.verdict == .ok)
  }

  /// Servers and proxies write what is no coding at all.
  @Test(
    arguments: [
      ("utf-8", ["utf-8"]), ("none", ["none"]), ("binary", ["binary"]), ("8bit", ["8bit"]), ("identity", []),
      ("aws-chunked", ["aws-chunked"]), ("ISO-8859-1", ["iso-8859-1"]), ("utf8, none", ["utf8", "none"]),
      ("", []),
    ] as [(String, [String])])
  func whatIsNoCodingIsPassedOver(coding: String, misnomers: [String]) async throws {
    let plain = try await outcome(coding, Array(Self.text.utf8))
    #expect(plain.verdict.reason == .ok, "\(plain.verdict)")
    let notes = misnomers.map { "Content-Encoding \"\($0)\" is no coding: the body was judged as it is" }
    #expect(plain.verdict.message == (notes.isEmpty ? nil : notes.joined(separator: "; ")))
    // A coding beside it is undone.
    let packed = try await outcome("gzip, \(coding)", try await Self.packed("gzip", Array(Self.text.utf8)))
    #expect(packed.verdict.reason == .ok, "\(packed.verdict)")
    let others = misnomers.map { "Content-Encoding \"\($0)\" is no coding: the body was decoded without it" }
    #expect(packed.verdict.message == (others.isEmpty ? nil : others.joined(separator: "; ")))
  }

  @Test(arguments: [
    ("gzip", "not packed"), ("br", "not packed"), ("zstd", "not packed"), ("rot13", "arrqyr"),
  ])
  func aCodingThatIsNoneIsAProtocolFailure(coding: String, body: String) async throws {
    let broken = try await outcome(coding, Array(body.utf8))
    #expect(broken.verdict.reason == .httpProtocol, "\(broken.verdict)")
    let isUnknown = broken.verdict.message?.contains("Content-Encoding has a name that is not known") == true
    #expect(isUnknown == (coding == "rot13"), "\(broken.verdict)")
  }

  @Test(
    "half of a page is no page, whatever the length says",
    arguments: ["gzip", "br", "zstd", "zlib deflate", "raw deflate"],
    Machine.hasFewRounds ? [1] : [0, 1, 8])
  func aCodingThatDoesNotEndIsCut(coding: String, missing: Int) async throws {
    let page = Array((Self.text + String(repeating: " word", count: 500) + " FATAL").utf8)
    let body = try await Self.packed(coding, page)
    let name = String(coding.split(separator: " ").last ?? "")
    let kept = missing == 0 ? body.count / 2 : body.count - missing
    let cut = try await outcome(name, Array(body.prefix(kept))) {
      $0.http.expect.bodyContains = []
      $0.http.expect.bodyNotContains = ["absent"]
    }
    #expect(cut.verdict.reason == .connectionClosed, "\(cut.verdict)")
    #expect(cut.verdict.phase == .transfer)
    #expect(
      cut.verdict.message?.hasSuffix(
        ": the compressed body stops before its own end: a part of it, or the trailer with its checksum, is missing"
      )
        == true, "\(cut.verdict)")
  }

  @Test func membersFramesAndWhatFollowsTheEnd() async throws {
    for coding in ["gzip", "zstd"] {
      let first = try await Self.packed(coding, Array("a nee".utf8))
      let second = try await Self.packed(coding, Array("dle".utf8))
      #expect(try await outcome(coding, first + second).verdict == .ok, "\(coding)")
    }
    let whole = try await Self.packed("gzip", Array(Self.text.utf8))
    #expect(try await outcome("x-gzip", whole + [0, 0, 0, 0]).verdict == .ok)
    let empty = try await outcome("gzip", []) {
      $0.http.expect.bodyContains = []
      $0.http.expect.bodyNotContains = ["needle"]
    }
    #expect(empty.verdict == .ok, "\(empty.verdict)")
  }

  @Test("N8: a bomb of 16 MiB stops at the cap of decoded bytes", arguments: ["gzip", "br", "zstd"])
  func bombs(coding: String) async throws {
    let body = try await Self.packed(coding, [UInt8](repeating: 0, count: 16 * 1024 * 1024))
    let before = try residentKilobytes()
    let bomb = try await outcome(coding, body) { $0.maxBody = 100_000 }
    #expect(bomb.verdict.reason == .bodyTooLarge, "\(bomb.verdict)")
    #expect(try residentKilobytes() - before < 24 * 1024)
  }

  @Test("N8: a stream that never ends and decodes to nothing stops")
  func emptyForEver() async throws {
    let endless = try await faultOutcome(change: wantsBody(1000)) { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nConnection: close\r\n\r\n")
      // RFC 1951 section 3.2.4: stored blocks of no bytes.
      let blocks = Array(repeating: [0, 0, 0, 0xff, 0xff] as [UInt8], count: 4096).flatMap { $0 }
      while link.write(blocks) {}
    }
    #expect(endless.verdict.reason == .bodyTooLarge, "\(endless.verdict)")
  }

  @Test("N8: stacked codings are refused beyond two")
  func nestedCodings() async throws {
    var body = Array(Self.text.utf8)
    for _ in 0..<2 { body = Self.zlib(body) }
    let two = try await outcome("deflate, deflate", body)
    #expect(two.verdict == .ok)
    let three = try await outcome("deflate, deflate, deflate", Self.zlib(body))
    #expect(three.verdict.reason == .httpProtocol, "\(three.verdict)")
  }

  @Test("N8: nothing is decoded where nobody needs the body")
  func unneededBodies() async throws {
    let seen = Seen()
    let unread = try await outcome("gzip", Array("not packed".utf8), seen: seen) {
      $0.http.expect.bodyContains = []
    }
    #expect(unread.verdict == .ok)
    #expect(!seen.text.contains("Accept-Encoding"))
  }
}
