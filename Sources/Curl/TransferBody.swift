// SPDX-License-Identifier: MIT

import Basics

/// The kept part of an answer's body, coded as it came.
struct TransferBody {
  private(set) var bytes: [UInt8] = []
  /// Of a body that is not kept, in bytes.
  var drained = 0
  /// Known with the first byte of a body that may be coded; empty: it is not.
  private var codings: ContentCodings?

  /// The codings that what is kept is to be taken out of.
  var usedCodings: ContentCodings? {
    guard let codings, !codings.isEmpty, !bytes.isEmpty else { return nil }
    return codings
  }

  /// - Parameter values: of Content-Encoding.
  /// - Returns: false: they are malformed.
  mutating func learn(_ values: @autoclosure () -> [String]) -> Bool {
    if codings == nil { codings = ContentCodings(values()) }
    return codings != nil
  }

  /// Keeps more. Bytes beyond the limit are left out.
  ///
  /// - Parameter limit: bytes of the body as it will be judged.
  /// - Returns: why the transfer ends; `nil` while it goes on.
  mutating func keep(_ more: UnsafeRawBufferPointer, limit: Int, _ lease: MemoryLease) -> TransferStop? {
    let isCoded = codings?.isEmpty == false
    let limit = isCoded ? ContentDecoder.mostCoded(limit) : limit
    let count = min(more.count, max(0, limit - bytes.count))
    let needed = bytes.count + count
    if needed > bytes.capacity {
      // Twice as much each time, but never beyond the limit.
      let size = min(limit, max(needed, 2 * bytes.capacity))
      guard lease.grow(by: size - bytes.capacity) else {
        return .local(.memory, message: TransferFailure.noMemory)
      }
      bytes.reserveCapacity(size)
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: more[..<count]))
    return count < more.count ? .bodyTooLarge : nil
  }
}
