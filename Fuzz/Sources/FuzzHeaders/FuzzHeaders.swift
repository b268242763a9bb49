// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Curl

/// Header lines as libcurl hands them over, cut at line feeds: the limits hold, and what is kept is what came.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var headers = HeaderAccumulator()
  var (taken, isFinal) = (0, false)
  for line in UnsafeBufferPointer(start: start, count: count).split(
    separator: 10, omittingEmptySubsequences: false)
  {
    let bytes = Array(line) + [10]
    let step = headers.take(bytes)
    taken += bytes.count
    switch step {
    case .more, .interim: break
    case .final:
      precondition(!isFinal, "an answer ended twice")
      isFinal = true
      precondition((200...999).contains(headers.statusCode ?? 0) || headers.statusCode == 101)
    case .tooLarge, .malformed:
      check(headers)
      return 0
    }
    precondition(taken <= HeaderAccumulator.maximumBytes, "the limit of bytes was passed")
  }
  check(headers)
  return 0
}

private func check(_ headers: HeaderAccumulator) {
  let fields = headers.fields
  precondition(fields.count <= HeaderAccumulator.maximumFields)
  for field in fields {
    precondition(!field.name.isEmpty && field.name.utf8.first != 0x20)
    precondition(!(field.name + field.value.reveal()).utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 })
    // A name of other bytes was changed on its way to text.
    guard field.name.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
    precondition(headers.block.values(field.name).contains(field.value.reveal()))
    precondition(headers.block.first(field.name) == headers.block.values(field.name).first)
  }
  if headers.isRedirect { precondition(headers.block.first("Location") != nil) }
}
