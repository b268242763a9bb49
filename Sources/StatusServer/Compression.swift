// SPDX-License-Identifier: MIT

import Basics
import CZlib

/// Answers in gzip, for who can read it (RFC 9110 section 12.5.3, RFC 1952).
enum Compression {
  /// Bytes from which on it is worth it.
  static let threshold = 1024

  /// Whether the header lets gzip be sent. An entry for gzip counts before one for all; a weight of 0 forbids it.
  static func acceptsGzip(_ header: String?) -> Bool {
    guard let header else { return false }
    var named: Bool?
    var others = false
    for item in WeightedValue.list(header) {
      switch item.value {
      case "gzip", "x-gzip": named = (named ?? false) || item.weight > 0
      case "*": others = item.weight > 0
      default: break
      }
    }
    return named ?? others
  }

  /// `nil` when the library has no memory for it: then the answer goes as it is.
  static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count < Int(Int32.max) else { return nil }
    var stream = z_stream()
    // 16 more than the largest window: gzip's header and checksum. The level is that of half the best one's time.
    let ready = deflateInit2_(
      &stream, 5, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard ready == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var source = bytes
    var result = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let outcome = source.withUnsafeMutableBufferPointer { source in
      result.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    guard outcome == Z_STREAM_END else { return nil }
    result.removeLast(result.count - Int(stream.total_out))
    return result
  }
}

extension Reply {
  /// Compresses it once for all who are given it.
  mutating func pack() {
    if body.count > Compression.threshold { packed = Compression.gzip(body) }
  }

  /// Makes it smaller where it is large and the client can read that; for HEAD too, whose headers are those of GET.
  mutating func compress(for header: String?) {
    guard body.count > Compression.threshold else { return }
    varies.append("Accept-Encoding")
    guard Compression.acceptsGzip(header), let small = packed ?? Compression.gzip(body) else { return }
    body = small
    (isCompressed, packed) = (true, nil)
  }
}
