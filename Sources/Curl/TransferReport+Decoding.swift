// SPDX-License-Identifier: MIT

import Basics

extension TransferReport {
  /// Puts what was decoded in the place of what arrived, and judges the end again: a body that is not what its
  /// Content-Encoding says tells more than what ended the transfer thereafter.
  mutating func take(_ decoded: DecodedBody) {
    body = decoded.body
    // Of a part of a coded body neither the beginning nor the end need be there.
    if statusCode == 206, outcome == .complete, decoded.end == .cut || decoded.end == .malformed {
      fail(
        .httpProtocol,
        "the answer is a part (206) of a compressed body and cannot be decoded; set decompress: false")
      return
    }
    switch decoded.end {
    case .whole: return
    case .cut:
      if outcome == .complete {
        fail(
          .closed,
          "the compressed body stops before its own end: a part of it, or the trailer with its checksum, is missing"
        )
      }
    case .full:
      truncated = true
      fail(.bodyTooLarge, "response body exceeds its limit")
    case .malformed: fail(.httpProtocol, "the body is not what its Content-Encoding says")
    case .excess, .slow:
      fail(.httpProtocol, "undoing the body's Content-Encoding takes more work than a body of its size may")
    case .greedy:
      fail(
        .httpProtocol,
        "undoing the body's Content-Encoding takes more memory than RFC 7932 and RFC 9659 allow")
    case .noMemory: fail(.local(.memory), TransferFailure.noMemory)
    case .busy:
      fail(.local(.queue), "this machine was too busy to undo the body's Content-Encoding in time")
    }
  }

  private mutating func fail(_ kind: TransferFailureKind, _ message: String) {
    outcome = .failed(TransferFailure(kind, phase: .transfer, message: message))
  }
}

extension TransferFailure {
  /// Words for an answer that found the budget of all transfers spent.
  static let noMemory =
    "the answers under way hold all of the \(CurlEngine.flightMemory >> 20) MiB that they may together;"
    + " a smaller max_body or fewer checks at once need less"
}
