// SPDX-License-Identifier: MIT

import Basics
import CCurl

/// The content codings of a body, in the order in which they are undone (RFC 9110 section 8.4).
package struct ContentCodings: Hashable, Sendable {
  enum Coding: Hashable, Sendable { case gzip, deflate, brotli, zstd }

  /// Codings on top of one another. A proxy that packs what its server has packed makes two; more were seen only where
  /// they mean harm, and each multiplies work and memory.
  static let most = 2

  /// The one that was applied last comes first. Empty: the body is what arrives.
  let codings: [Coding]

  /// - Parameter values: those of Content-Encoding, in order. `nil` when one of them is unknown, or when there are too
  ///   many.
  init?(_ values: [String]) {
    var codings: [Coding] = []
    for name in values.flatMap({ $0.split(separator: ",") }) {
      let name = name.withoutBlanks.lowercased()
      switch name {
      case "", "identity": continue
      case _ where Self.isMisnomer(name): continue
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

  /// Those of a Content-Encoding that are no codings, and that servers send all the same: charsets, what mail calls an
  /// encoding, and a framing that only an upload has. The body is what it is without them.
  package static func misnomers(_ values: [String]) -> [String] {
    values.flatMap { $0.split(separator: ",") }.map { $0.withoutBlanks.lowercased() }.filter(isMisnomer)
  }

  /// Whether there is a coding that is undone, whatever else is named.
  package static func areUndone(_ values: [String]) -> Bool { Self(values)?.isEmpty == false }

  private static func isMisnomer(_ name: String) -> Bool {
    guard name.utf8.count <= 16 else { return false }
    return switch name {
    case "none", "binary", "7bit", "8bit", "text", "aws-chunked", "utf8", "utf-8", "utf-16", "ascii",
      "us-ascii",
      "windows-1252":
      true
    // bounded: fifteen names
    case _ where name.hasPrefix("iso-8859-"): Int(name.dropFirst(9)).map { (1...15).contains($0) } ?? false
    default: false
    }
  }

  /// Bytes that undoing them may hold beside the body.
  var memory: Int {
    codings.reduce(0) { sum, coding in
      sum + quartz_decoder_memory(coding.kind ?? QUARTZ_ZLIB) + DecodingStage.piece
    }
  }
}

extension ContentCodings.Coding {
  /// `nil` for deflate, which only its first bytes tell from zlib.
  var kind: quartz_coding? {
    switch self {
    case .gzip: QUARTZ_GZIP
    case .brotli: QUARTZ_BROTLI
    case .zstd: QUARTZ_ZSTD
    case .deflate: nil
    }
  }
}
