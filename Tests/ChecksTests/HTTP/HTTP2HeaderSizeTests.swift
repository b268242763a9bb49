// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import TestSupport
import Testing

/// Header blocks over HTTP/2 (RFC 9113 section 6.2) that are longer than one buffer of libcurl, and come at once.
@Suite(.timeLimit(.minutes(2))) struct HTTP2HeaderSizeTests {
  private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 0xff), UInt8(count & 0xff), type, flags, 0, 0, 0, stream]
      + payload
  }

  /// `:status: 200` and fields of 1,000 bytes, as literals without indexing (RFC 7541 section 6.2.2), with END_STREAM: not
  /// a byte follows.
  private static func answer(fields: Int) -> [UInt8] {
    var block: [UInt8] = [0x88]
    for index in 0..<fields {
      let name = Array("x-\(index)".utf8)
      // 1,000 is 127 of the prefix, and 873.
      block += [0, UInt8(name.count)] + name + [0x7f, 0xe9, 0x06] + [UInt8](repeating: 0x61, count: 1000)
    }
    var parts: [[UInt8]] = []
    while !block.isEmpty {
      parts.append(Array(block.prefix(16_000)))
      block.removeFirst(min(16_000, block.count))
    }
    return parts.indices.flatMap { index in
      frame(index == 0 ? 1 : 9, (index == 0 ? 1 : 0) | (index == parts.count - 1 ? 4 : 0), 1, parts[index])
    }
  }

  @Test(
    arguments: [
      (16, Reason.ok, nil), (17, .ok, nil), (40, .ok, nil), (64, .ok, nil),
      (70, .headersTooLarge, "response headers exceed 64 KiB, 200 fields or 20 interim answers"),
      (100, .headersTooLarge, "response headers exceed 64 KiB, 200 fields or 20 interim answers"),
    ] as [(Int, Reason, String?)])
  func aLongBlockIsReadAtOnce(fields: Int, reason: Reason, words: String?) async throws {
    let outcome = try await faultOutcome(
      limit: .seconds(5), change: { $0.httpVersion = "2" },
      script: { link in
        link.write(Self.frame(4, 0, 0, []))
        _ = link.read()
        link.write(Self.answer(fields: fields))
        link.waitForEnd()
      })
    #expect(outcome.verdict.reason == reason, "\(outcome.verdict)")
    #expect(outcome.verdict.message.map { $0.hasSuffix(words ?? "") } == (words == nil ? nil : true))
  }
}
