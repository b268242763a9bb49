// SPDX-License-Identifier: MIT

import Basics
import CCurl

/// Memory that a handle's options point to: libcurl keeps the pointers, and uses them no more until others are set.
struct TransferPins {
  private var pin: UnsafeMutablePointer<curl_slist>?
  private var body: UnsafeMutableRawBufferPointer?
  /// Where libcurl writes what went wrong; nil for a plain transfer.
  private var buffer: UnsafeMutablePointer<CChar>?

  /// Text that libcurl wrote; empty where it wrote none.
  var words: String { buffer.map { String(cString: $0) } ?? "" }

  /// Makes the room for libcurl's words, at a fixed place as long as the handle.
  mutating func keepWords() -> UnsafeMutablePointer<CChar> {
    let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    buffer = words
    return words
  }

  /// Keeps the list that pins the address alive until the end.
  mutating func keep(pin list: UnsafeMutablePointer<curl_slist>) { pin = list }

  /// Keeps a copy of the body at a fixed place as long as the handle.
  mutating func keep(body bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
    // At least one byte, so that the pointer is never null: libcurl takes null for "read it from a callback".
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
    copy.copyBytes(from: bytes)
    body = copy
    return copy
  }

  /// Frees all of it. The handle must not use it any more.
  mutating func release() {
    curl_slist_free_all(pin)
    pin = nil
    body?.deallocate()
    body = nil
    buffer?.deallocate()
    buffer = nil
  }
}
