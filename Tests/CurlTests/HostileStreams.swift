// SPDX-License-Identifier: MIT

import Testing

/// Coded bodies made by hand that are small and mean much work, as long as asked for.
enum HostileStreams {
  /// What is done over and over in one of them.
  struct Stream: Sendable, CustomTestStringConvertible {
    var codings: String
    var what: String
    /// At most so many bytes.
    var make: @Sendable (Int) -> [UInt8]

    var testDescription: String { "\(codings): \(what)" }
  }

  static let all: [Stream] = [
    Stream(codings: "zstd", what: "blocks of one byte repeated") { zstd($0, [2, 0, 0x10, 0]) },
    Stream(codings: "zstd", what: "empty blocks") { zstd($0, [0, 0, 0]) },
    Stream(codings: "zstd", what: "empty frames") { repeated($0, emptyFrame) },
    Stream(codings: "zstd", what: "frames with windows of two sizes in turn") {
      repeated($0, emptyFrame + [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00, 0x01, 0, 0])
    },
    Stream(codings: "zstd", what: "empty skippable frames") { repeated($0, skippable(0)) },
    Stream(codings: "gzip", what: "empty members") { repeated($0, emptyMember) },
    Stream(codings: "deflate", what: "empty stored blocks") {
      [0x78, 0x01] + repeated($0 - 2, [0, 0, 0, 0xff, 0xff])
    },
    // Four blocks with the fixed codes, of ten bits each, that hold their end and nothing else.
    Stream(codings: "deflate", what: "empty blocks with fixed codes") {
      [0x78, 0x01]
        + repeated(
          $0 - 2, bytes(ofBits: Array(repeating: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0], count: 4).flatMap { $0 }))
    },
    Stream(codings: "br", what: "empty metadata") { [0x0c] + repeated($0 - 1, [0x06]) },
    Stream(codings: "zstd, zstd", what: "a skippable frame of 4 GiB within") { count in
      let head = skippable(.max)
      return zstd(count, [2, 0, 0x10, 0], first: [UInt8(head.count << 3), 0, 0] + head)
    },
    Stream(codings: "gzip, zstd", what: "members within repeated blocks") { count in
      zstd(count, [2, 0, 0x10, 0x1f])
    },
    Stream(codings: "br, zstd", what: "metadata within repeated blocks") { count in
      zstd(count, [2, 0, 0x10, 0x06], first: [8, 0, 0, 0x0c])
    },
    Stream(codings: "zstd, gzip", what: "empty frames within members") { count in
      let inner = repeated(60_000, emptyFrame)
      return repeated(count, member(inner))
    },
  ]

  /// RFC 8878: a frame with a window of 8 MiB, and its last block, of no bytes.
  static let emptyFrame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68, 0x01, 0, 0]

  /// RFC 8878 section 3.1.2.
  static func skippable(_ size: UInt32) -> [UInt8] {
    [0x50, 0x2a, 0x4d, 0x18] + (0..<4).map { UInt8(size >> (8 * UInt32($0)) & 0xff) }
  }

  /// RFC 1952 around an empty block.
  static let emptyMember: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]

  /// RFC 1952 around one stored block; the sum is right.
  static func member(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt16(bytes.count)
    var sum: UInt32 = 0xffff_ffff
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
    sum = ~sum
    let little: (UInt32) -> [UInt8] = { number in (0..<4).map { UInt8(number >> (8 * UInt32($0)) & 0xff) } }
    return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, UInt8(count & 0xff), UInt8(count >> 8)]
      + [UInt8(~count & 0xff), UInt8(~count >> 8)] + bytes + little(sum) + little(UInt32(bytes.count))
  }

  /// A frame of these blocks over and over, without an end.
  static func zstd(_ count: Int, _ block: [UInt8], first: [UInt8] = []) -> [UInt8] {
    let head: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68] + first
    return head + repeated(count - head.count, block)
  }

  static func repeated(_ count: Int, _ part: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count + part.count <= count { bytes += part }
    return bytes
  }

  /// The first bit is the lowest of the first byte.
  static func bytes(ofBits bits: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<min(start + 8, bits.count)].reversed().reduce(0) { $0 << 1 | $1 }
    }
  }
}
