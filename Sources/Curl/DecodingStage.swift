// SPDX-License-Identifier: MIT

import Basics
import CCurl

/// One coding that is being undone, in steps none of which takes or makes more than a piece. Belongs to one thread at a
/// time.
final class DecodingStage {
  enum Result: Hashable { case fine, malformed, noMemory }

  /// Bytes taken or made in one step at most.
  static let piece = 16 * 1024

  /// Bytes it took, and made, so far.
  private(set) var taken = 0
  private(set) var made = 0
  /// Streams that came to their end: members of gzip, frames of zstd.
  private(set) var ends = 0
  /// Its latest output, until it is read.
  private(set) var output: [UInt8] = []
  /// There may be more to make without more to take.
  private(set) var isPregnant = false
  private var decoder: UnsafeMutablePointer<quartz_decoder>?
  /// Deflate: the two bytes that tell RFC 1950 from RFC 1951, until both are there.
  private var head: [UInt8]?
  private var hasStarted = false
  private var hasEnded = false
  /// Behind the end came what belongs to nothing.
  private var isOver = false

  /// `nil` where there is no memory.
  init?(_ coding: ContentCodings.Coding) {
    if let kind = coding.kind {
      decoder = quartz_decoder_open(kind)
      if decoder == nil { return nil }
    } else {
      head = []
    }
  }

  deinit { quartz_decoder_close(decoder) }

  /// Something arrived, and the stream did not end.
  var isUnfinished: Bool { hasStarted && !hasEnded }

  /// Bytes it held at most, beside its output.
  var peak: Int { decoder?.pointee.peak ?? 0 }

  /// One step. The output before is forgotten.
  ///
  /// - Parameter bytes: what there is; empty: more of what was taken already.
  /// - Returns: how many of them were taken.
  func step(_ bytes: ArraySlice<UInt8>) -> (used: Int, result: Result) {
    output.removeAll(keepingCapacity: true)
    isPregnant = false
    if !bytes.isEmpty { hasStarted = true }
    let (used, result): (Int, Result)
    if let seen = head {
      (used, result) = (min(bytes.count, 2 - seen.count), tell(seen + bytes.prefix(2 - seen.count)))
    } else if hasEnded, !goesOn(bytes.first) {
      (used, result) = (bytes.count, .fine)
    } else {
      (used, result) = decode(bytes)
    }
    taken += used
    return (used, result)
  }

  /// RFC 1950 section 2.2: method 8, and both bytes together a multiple of 31.
  private func tell(_ seen: [UInt8]) -> Result {
    head = seen
    guard seen.count == 2 else { return .fine }
    head = nil
    let isZlib = seen[0] & 15 == 8 && (Int(seen[0]) << 8 + Int(seen[1])) % 31 == 0
    decoder = quartz_decoder_open(isZlib ? QUARTZ_ZLIB : QUARTZ_DEFLATE)
    if decoder == nil { return .noMemory }
    // What two bytes can make fits.
    return decode(seen[...]).result
  }

  private func decode(_ bytes: ArraySlice<UInt8>) -> (used: Int, result: Result) {
    guard let decoder else { return (0, .malformed) }
    let given = bytes.prefix(Self.piece)
    var used = 0
    var result = QUARTZ_DECODING_MORE
    output = [UInt8](unsafeUninitializedCapacity: Self.piece) { room, count in
      result = given.withUnsafeBufferPointer { given in
        quartz_decoder_step(
          decoder, given.baseAddress, given.count, &used, room.baseAddress, Self.piece, &count)
      }
    }
    made += output.count
    if result == QUARTZ_DECODING_BAD {
      return (used, decoder.pointee.refused != 0 ? .noMemory : .malformed)
    }
    hasEnded = result == QUARTZ_DECODING_END
    if hasEnded { ends += 1 }
    isPregnant = !hasEnded && output.count == Self.piece
    // It has room and something to read, and does nothing.
    if !hasEnded, used == 0, output.isEmpty, !given.isEmpty { return (0, .malformed) }
    return (used, .fine)
  }

  /// Behind the end of a stream: another member or frame, or bytes that belong to nothing, which browsers overlook.
  private func goesOn(_ next: UInt8?) -> Bool {
    guard let next, !isOver, let decoder else { return false }
    switch decoder.pointee.coding {
    case QUARTZ_GZIP: isOver = next != 0x1f || quartz_decoder_restart(decoder) != 0
    case QUARTZ_ZSTD: break
    default: isOver = true
    }
    if !isOver { hasEnded = false }
    return !isOver
  }
}
