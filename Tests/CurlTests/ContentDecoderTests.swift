// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Curl

/// Content codings undone in small steps, with the work of each counted.
@Suite(.timeLimit(.minutes(2))) struct ContentDecoderTests {
  private func codings(_ names: String) throws -> ContentCodings { try #require(ContentCodings([names])) }

  private func decoder(_ names: String, _ coded: [UInt8], limit: Int) throws -> ContentDecoder {
    try #require(ContentDecoder(try codings(names), coded, limit: limit))
  }

  /// To the end, in so many steps.
  private func run(_ decoder: ContentDecoder) -> (end: ContentDecoder.Step, steps: Int) {
    var steps = 1
    while true {
      let step = decoder.advance()
      if step != .more { return (step, steps) }
      steps += 1
    }
  }

  /// No stream makes more work than its size and its limit allow, whatever its codings hold between them.
  @Test(arguments: HostileStreams.all, [64 * 1024, 1 << 20, 4 << 20])
  func workStaysWithinItsAllowance(of stream: HostileStreams.Stream, limit: Int) throws {
    let coded = stream.make(ContentDecoder.mostCoded(limit))
    let decoder = try decoder(stream.codings, coded, limit: limit)
    let (end, steps) = run(decoder)
    #expect(end != .more)
    #expect(decoder.work <= decoder.allowance + 4 * DecodingStage.piece, "\(decoder.work)")
    #expect(decoder.body.count <= limit)
    // A step is bounded, so this bounds the time, too; the smallest steps are an end of 9 bytes.
    #expect(steps <= 8 * decoder.allowance / ContentDecoder.costOfEnd)
  }

  /// The end of a member or a frame counts, though it be empty: so much of nothing is too much.
  @Test(arguments: [("gzip", HostileStreams.emptyMember), ("zstd", HostileStreams.emptyFrame)])
  func endsAreWork(names: String, part: [UInt8]) throws {
    let decoder = try decoder(names, HostileStreams.repeated(1 << 20, part), limit: 1 << 20)
    #expect(run(decoder).end == .excess)
    let few = try self.decoder(names, HostileStreams.repeated(100 * part.count, part), limit: 1 << 20)
    #expect(run(few).end == .whole)
  }

  /// Twice the input is at most two and a half times the work.
  @Test(arguments: HostileStreams.all)
  func workGrowsWithItsInput(of stream: HostileStreams.Stream) throws {
    var last = 0
    for size in [256, 512, 1024].map({ $0 << 10 }) {
      let decoder = try decoder(stream.codings, stream.make(size), limit: 16 << 20)
      _ = run(decoder)
      if last > 0 {
        #expect(Double(decoder.work) <= 2.5 * Double(last), "\(size): \(decoder.work) after \(last)")
      }
      last = decoder.work
    }
  }

  /// A skippable frame of 4 GiB between two codings is not read to its end.
  @Test func whatLiesBetweenTwoCodingsHasALimitToo() throws {
    let inner = HostileStreams.skippable(.max)
    let coded = HostileStreams.zstd(
      140_000, [2, 0, 0x10, 0], first: [UInt8(inner.count << 3), 0, 0] + inner)
    let decoder = try decoder("zstd, zstd", coded, limit: 1 << 20)
    #expect(run(decoder).end == .excess)
    #expect(decoder.work < 8 << 20)
    #expect(decoder.body.isEmpty)
  }

  /// Two codings are undone, three are refused before a byte is decoded, and identity is none.
  @Test(arguments: [
    ("gzip, gzip", true), ("identity, gzip , identity,x-gzip", true), ("zstd, zstd, zstd", false),
    ("br,br,br,br,br", false), ("rot13", false), ("", true),
  ])
  func codingsHaveALimit(names: String, isKnown: Bool) {
    #expect((ContentCodings([names]) != nil) == isKnown)
  }

  /// 16 MiB in which nothing repeats but over the whole of a window.
  private static let page: [UInt8] = {
    var generator = SeededGenerator(seed: 8)
    let words = (0..<(9 << 20) / 8).map { _ in generator.next() }
    let part = words.withUnsafeBytes { [UInt8]($0) }
    return Array((part + part).prefix(16 << 20))
  }()

  /// A window beyond what RFC 8878, RFC 9659 and RFC 7932 let a content coding have is refused, and what they allow fits
  /// in what a decoder may hold.
  @Test(arguments: [
    ("zstd", ["-3", "--long=23"], ContentDecoder.Step.whole),
    ("zstd", ["-1", "--long=24"], .malformed),
    ("br", ["-q", "2", "-w", "24"], .whole),
    ("gzip", ["-1"], .whole),
  ])
  func windowsHaveALimit(coding: String, options: [String], end: ContentDecoder.Step) async throws {
    let page = Self.page
    let program = ["gzip": "/usr/bin/gzip", "br": "/usr/bin/brotli", "zstd": "/usr/bin/zstd"][coding] ?? ""
    let suffix = ["gzip": "gz", "br": "br", "zstd": "zst"][coding] ?? ""
    try await withTemporaryDirectory { folder in
      let file = folder.appending(path: "data")
      try Data(page).write(to: file)
      try runTool(program, options + [file.path], in: folder)
      let coded = [UInt8](try Data(contentsOf: folder.appending(path: "data.\(suffix)")))
      let decoder = try decoder(coding, coded, limit: 16 << 20)
      #expect(run(decoder).end == end)
      #expect(decoder.peak <= ContentCodings([coding])?.memory ?? 0, "\(decoder.peak)")
      if end == .whole { #expect(decoder.body == page) }
    }
  }

  /// In pieces or at once, cut or whole: the end of a stream is known, and what follows it is overlooked or a member more.
  @Test func theEndIsKnown() throws {
    let text = Array("a needle in a haystack".utf8)
    let member = HostileStreams.member(text)
    let cases: [(String, [UInt8], ContentDecoder.Step, [UInt8])] = [
      ("gzip", member, .whole, text), ("gzip", Array(member.dropLast()), .cut, text),
      ("gzip", member + member, .whole, text + text), ("gzip", member + [0, 1, 2], .whole, text),
      ("gzip, gzip", HostileStreams.member(member), .whole, text),
      // The one that is named last was applied last.
      ("zstd, gzip", HostileStreams.member(HostileStreams.emptyFrame), .whole, []),
      ("gzip", Array(member.prefix(1)), .cut, []), ("deflate", [0x78], .cut, []),
      ("gzip", member + [0x1f, 0x20], .malformed, text), ("zstd", [0], .malformed, []),
      ("zstd", [0x28], .cut, []),
      ("zstd", [1, 2, 3, 4, 5], .malformed, []),
      // A window of 64 MiB, which only its inventors' "large" form has.
      ("br", [0x11, 0x1a, 0x03], .malformed, []),
      ("zstd", HostileStreams.emptyFrame + HostileStreams.skippable(0), .whole, []),
    ]
    for (names, coded, end, body) in cases {
      let decoder = try decoder(names, coded, limit: 1000)
      #expect(run(decoder).end == end, "\(names) \(coded.count)")
      #expect(decoder.body == body)
    }
    let full = try decoder("gzip", member, limit: text.count - 1)
    #expect(run(full).end == .full)
    #expect(full.body == text.dropLast())
    let exact = try decoder("gzip", member, limit: text.count)
    #expect(run(exact).end == .whole)
  }
}
