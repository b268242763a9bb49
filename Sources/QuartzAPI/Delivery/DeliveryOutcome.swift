// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Meaning of an answer to a batch, for every transport.
package enum DeliveryOutcome: Hashable, Sendable {
  /// The receiver has every row that is not in `rejected`, and will not take those.
  case acknowledged(Acknowledgement)
  /// A row in the batch is wrong and nothing of it was stored; the receiver does not say which row.
  case rowsRefused(code: String)
  /// Nothing was stored because this check no longer exists.
  case checkGone(UniqueID, code: String)
  /// The key or the session is not accepted, or may not write.
  case unauthorized(Notice)
  /// Nothing at that address takes results; a person has to change something.
  case misconfigured(Notice, retry: Duration)
  case tooLarge
  /// 429; `nil` when it does not say for how long.
  case throttled(Duration?)
  /// Worth trying again with the same ids. `blamesBatch`: a 500 without a code, which for this backend may well be
  /// a complaint about the rows.
  case transient(Notice, wait: Duration?, blamesBatch: Bool)
}

package struct Acknowledgement: Hashable, Sendable {
  /// `nil` where the transport does not count.
  package var accepted: Int?
  package var duplicates: Int?
  package var rejected: [Rejection]

  package struct Rejection: Hashable, Sendable {
    package var id: UniqueID
    package var code: String

    package init(id: UniqueID, code: String) {
      self.id = id
      self.code = code
    }
  }

  package init(accepted: Int? = nil, duplicates: Int? = nil, rejected: [Rejection] = []) {
    self.accepted = accepted
    self.duplicates = duplicates
    self.rejected = rejected
  }
}
