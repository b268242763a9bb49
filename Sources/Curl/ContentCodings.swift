// SPDX-License-Identifier: MIT

import Basics
import CCurl

/// The content codings of a body, in the order in which they are undone (RFC 9110 section 8.4).
struct ContentCodings: Hashable, Sendable {
  enum Coding: Hashable, Sendable { case gzip, deflate, brotli, zstd }

  /// Codings on top of one another. A proxy that packs what its server has packed makes two; more were seen only where
  /// they mean harm, and each multiplies work and memory.
  static let most = 2

  /// The one that was applied last comes first. Empty: the body is what arrives.
  let codings: [Coding]

  /// - Parameter values: those of Content-Encoding, in order. Nil when one of them is unknown, or when there are too
  ///   many.
  init?(_ values: [String]) {
    var codings: [Coding] = []
    for name in values.flatMap({ $0.split(separator: ",") }) {
      switch name.trimmingBlanks.lowercased() {
      case "", "identity": continue
      case "gzip", "x-gzip": codings.append(.gzip)
      case "deflate": codings.append(.deflate)
      case "br": codings.append(.brotli)
      case "zstd": codings.append(.zstd)
      default: return nil
      }
      if codings.count > Self.most { return nil }
    }
    self.codings = codings.reversed()
  }

  var isEmpty: Bool { codings.isEmpty }

  /// Bytes that undoing them may hold beside the body.
  var memory: Int {
    codings.reduce(0) { sum, coding in
      sum + quartz_decoder_memory(coding.kind ?? QUARTZ_ZLIB) + DecodingStage.piece
    }
  }
}

extension ContentCodings.Coding {
  /// Nil for deflate, which only its first bytes tell from zlib.
  var kind: quartz_coding? {
    switch self {
    case .gzip: QUARTZ_GZIP
    case .brotli: QUARTZ_BROTLI
    case .zstd: QUARTZ_ZSTD
    case .deflate: nil
    }
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
    while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
    return text
  }
}
