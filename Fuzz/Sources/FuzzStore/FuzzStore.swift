// SPDX-License-Identifier: MIT

@testable import SpoolFuzz

/// Any bytes as the files of a store: a start on them ends, records, and starts again with what it recorded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  SpoolFuzz.store(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
