// SPDX-License-Identifier: MIT

import Basics
import CCurl

extension TransferFailure {
  /// The failure of a `connect` that was made elsewhere, by its errno, in the words of one that libcurl makes.
  package init(connecting code: Int32) {
    let end = TransferEnd(code: CURLE_COULDNT_CONNECT, systemError: code, phase: .connect)
    if case .failed(let failure) = end.outcome {
      self = failure
    } else {
      self.init(.local(.system(errno: code)), phase: .connect, message: "the connection failed")
    }
  }

  /// No connection within the time limit.
  package static let connectTimeout = TransferFailure(
    .timeout, phase: .connect, message: ConnectionWords.overdue(.connection))
}
