// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status

extension Routes {
  /// `GET /api/v1/checks/{id}/share`: also of a check that is not configured here any more, since its past is here.
  func share(_ id: UniqueID, _ path: RequestPath) async throws(BadRequest) -> Reply {
    let at = try path.number("at", in: 0...1 << 55, default: Int(source.now.microseconds))
    // bounded: within 2^55
    let instant = Timestamp(microseconds: Int64(at))
    guard let share = await source.share(of: id, at: instant) else {
      return failure(404, "NOT_FOUND", "nothing is known of such a check")
    }
    return Reply(
      200, .json,
      StatusJSON.success(now: source.now) { json in
        json.object { json in
          json.field("check_id", id.description)
          json.field("at", instant)
          json.field("share", Base16.text(share.bytes))
        }
      })
  }
}
