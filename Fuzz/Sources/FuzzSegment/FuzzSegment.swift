// SPDX-License-Identifier: MIT

@testable import SpoolFuzz

/// Any bytes as a segment: the reader ends, hands out nothing whose checksum fails, and never reads beyond.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  SpoolFuzz.segment(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
