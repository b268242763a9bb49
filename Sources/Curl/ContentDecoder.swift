// SPDX-License-Identifier: MIT

import CCurl

/// Undoes the content codings of a body (RFC 9110 section 8.4) as it arrives, and knows whether it came to its end.
///
/// Belongs to the engine's thread.
final class ContentDecoder {
  enum Step: Hashable {
    case more
    /// What was asked for is full: the body goes on beyond its limit.
    case full
    case malformed
  }

  /// Codings on top of one another, as libcurl has it.
  static let deepest = 5

  /// The last coding that was applied first.
  private let stages: [Stage]

  /// - Parameter codings: the values of Content-Encoding, in order. Nil when one of them is unknown, or when there are
  ///   too many.
  init?(_ codings: [String]) {
    let names = codings.flatMap { $0.split(separator: ",") }
      .map { $0.trimmingBlanks.lowercased() }.filter { !$0.isEmpty && $0 != "identity" }
    guard names.count <= Self.deepest else { return nil }
    var stages: [Stage] = []
    for name in names.reversed() {
      guard let stage = Stage(name) else { return nil }
      stages.append(stage)
    }
    self.stages = stages
  }

  /// False: the body is what arrives.
  var isNeeded: Bool { !stages.isEmpty }

  /// Something arrived, and the stream did not end.
  var isUnfinished: Bool { stages.contains { $0.isUnfinished } }

  /// Decodes what arrived, and appends it to the body as far as the limit lets it.
  func take(_ bytes: UnsafeRawBufferPointer, into body: inout [UInt8], limit: Int) -> Step {
    pass(bytes, from: 0, into: &body, limit: limit)
  }

  private func pass(
    _ bytes: UnsafeRawBufferPointer, from index: Int, into body: inout [UInt8], limit: Int
  ) -> Step {
    guard index < stages.count else {
      let room = max(0, limit - body.count)
      body.append(contentsOf: bytes.prefix(room))
      return bytes.count > room ? .full : .more
    }
    return stages[index].take(bytes) { decoded in
      pass(decoded, from: index + 1, into: &body, limit: limit)
    }
  }
}

/// One coding.
private final class Stage {
  private var decoder: UnsafeMutablePointer<quartz_decoder>?
  /// Deflate: the two bytes that tell RFC 1950 from RFC 1951, until both are there.
  private var head: [UInt8]?
  private var hasStarted = false
  private var hasEnded = false

  private static let piece = 16 * 1024

  init?(_ name: String) {
    switch name {
    case "gzip", "x-gzip": decoder = quartz_decoder_open(QUARTZ_GZIP)
    case "br": decoder = quartz_decoder_open(QUARTZ_BROTLI)
    case "zstd": decoder = quartz_decoder_open(QUARTZ_ZSTD)
    case "deflate": head = []
    default: return nil
    }
    if decoder == nil, head == nil { return nil }
  }

  deinit { quartz_decoder_close(decoder) }

  var isUnfinished: Bool { hasStarted && !hasEnded }

  func take(
    _ bytes: UnsafeRawBufferPointer, give: (UnsafeRawBufferPointer) -> ContentDecoder.Step
  ) -> ContentDecoder.Step {
    if !bytes.isEmpty { hasStarted = true }
    guard var seen = head else { return decode(bytes, give) }
    seen += bytes.prefix(2 - seen.count)
    let rest = UnsafeRawBufferPointer(rebasing: bytes[min(bytes.count, seen.count - (head?.count ?? 0))...])
    head = seen
    guard seen.count == 2 else { return .more }
    head = nil
    // RFC 1950 section 2.2: method 8, and both bytes together a multiple of 31.
    let isZlib = seen[0] & 15 == 8 && (Int(seen[0]) << 8 + Int(seen[1])) % 31 == 0
    decoder = quartz_decoder_open(isZlib ? QUARTZ_ZLIB : QUARTZ_DEFLATE)
    guard decoder != nil else { return .malformed }
    let first = seen.withUnsafeBytes { decode($0, give) }
    return first == .more ? decode(rest, give) : first
  }

  private func decode(
    _ bytes: UnsafeRawBufferPointer, _ give: (UnsafeRawBufferPointer) -> ContentDecoder.Step
  ) -> ContentDecoder.Step {
    guard let decoder else { return .malformed }
    var rest = bytes
    return withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 1) { room in
      while true {
        if hasEnded {
          guard goesOn(decoder, rest) else { return .more }
        }
        var (used, made) = (0, 0)
        let result = quartz_decoder_step(
          decoder, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), rest.count, &used,
          room.baseAddress?.assumingMemoryBound(to: UInt8.self), room.count, &made)
        rest = UnsafeRawBufferPointer(rebasing: rest[used...])
        if made > 0 {
          let step = give(UnsafeRawBufferPointer(rebasing: room[..<made]))
          if step != .more { return step }
        }
        if result == QUARTZ_DECODING_BAD { return .malformed }
        hasEnded = result == QUARTZ_DECODING_END
        // Nothing left to read, and what was there found room.
        if !hasEnded, rest.isEmpty, made < room.count { return .more }
        if !hasEnded, used == 0, made == 0 { return .malformed }
      }
    }
  }

  /// Behind the end of a stream: another member or frame, or bytes that belong to nothing, which browsers overlook.
  private func goesOn(_ decoder: UnsafeMutablePointer<quartz_decoder>, _ rest: UnsafeRawBufferPointer) -> Bool
  {
    guard !rest.isEmpty else { return false }
    switch decoder.pointee.coding {
    case QUARTZ_GZIP:
      guard rest[0] == 0x1f, quartz_decoder_restart(decoder) == 0 else { return false }
    case QUARTZ_ZSTD: break
    default: return false
    }
    hasEnded = false
    return true
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
