// SPDX-License-Identifier: MIT

@testable import SpoolFuzz

/// Any bytes as a cursor file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  SpoolFuzz.cursor(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
