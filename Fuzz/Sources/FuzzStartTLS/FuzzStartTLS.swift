// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Monitoring

/// The machines that ask for TLS in each protocol. The first byte chooses the protocol, the second how the stream is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let kind = StartTLSProtocol.allCases[Int(bytes[0]) % StartTLSProtocol.allCases.count]
  fuzzConversation(
    { DialogConversation(SpokenDialog.startTLS(kind, host: "good.test")) }, bytes.dropFirst(2),
    pieces: bytes[1]
  )
  return 0
}
