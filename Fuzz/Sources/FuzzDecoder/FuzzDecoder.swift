// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Curl

/// A coded body: the first byte chooses the codings, the second how it is made longer. However it ends, the work stays
/// within its allowance, and no more is kept than was asked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard bytes.count > 2, let codings = ContentCodings([names[Int(bytes[0]) % names.count]]) else { return 0 }
  var coded = Array(bytes[2...])
  // What is done over and over is the worst.
  if bytes[1] & 1 == 1 {
    let part = coded[(coded.count / 2)...]
    for _ in 0..<min(64, 64 * 1024 / max(1, part.count)) { coded += part }
  }
  let small = run(codings, coded, limit: 4096)
  let large = run(codings, coded, limit: 256 * 1024)
  // A limit ends the work earlier, and never changes what came before.
  precondition(large.body.starts(with: small.body))
  return 0
}

private let names = [
  "gzip", "deflate", "br", "zstd", "zstd, zstd", "gzip, zstd", "br, br", "deflate, gzip", "zstd, gzip",
]

private func run(_ codings: ContentCodings, _ coded: [UInt8], limit: Int) -> ContentDecoder {
  guard let decoder = ContentDecoder(codings, coded, limit: limit) else { fatalError("no memory") }
  var steps = 0
  var end = ContentDecoder.Step.more
  while end == .more {
    end = decoder.advance()
    steps += 1
    precondition(steps <= 8 * decoder.allowance / ContentDecoder.costOfEnd, "it goes on for ever")
  }
  precondition(decoder.work <= decoder.allowance + 4 * DecodingStage.piece, "more work than allowed")
  precondition(decoder.body.count <= limit, "more than was asked for")
  precondition(decoder.peak <= codings.memory, "more memory than counted")
  precondition(end != .full || decoder.body.count == limit)
  return decoder
}
