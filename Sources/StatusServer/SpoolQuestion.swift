// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

/// Requests of `quartz-agent spool` to a running agent, which alone may read its store.
package enum SpoolQuestion: Hashable, Sendable {
  /// Content of the store, as text for people.
  case summary
  /// A page of results above a sequence number, as NDJSON; `waiting`: only what is still to be delivered.
  case results(after: UInt64, limit: Int, waiting: Bool)
  /// Results that the receiver refused, as NDJSON.
  case quarantine
  /// Read every record again, as text for people.
  case check
  /// Put what was refused back into the lanes.
  case resubmit
  /// Take these results for delivery, made by another process of this machine: `RecordBundle` of the store's room.
  case submit([UInt8])
}

/// The agent's answer; anything but 200 is an error in words.
package struct SpoolAnswer: Hashable, Sendable {
  package var status: Int
  package var text: String
  /// Whether a check of the store found it sound. `nil` for any other answer. It goes beside the text, in a header.
  package var isSound: Bool?

  /// `yes` or `no`.
  package static let soundHeader = "X-Store-Sound"

  package init(_ text: String, status: Int = 200, isSound: Bool? = nil) {
    self.text = text
    self.status = status
    self.isSound = isSound
  }
}

extension StatusSource {
  /// A source without a store.
  package func spool(_ question: SpoolQuestion) async -> SpoolAnswer {
    SpoolAnswer("there is no store here\n", status: 404)
  }
}

extension Routes {
  /// `/api/v1/spool/…`
  func spool(_ segments: [String], _ path: RequestPath) async throws(BadRequest) -> Reply {
    switch segments {
    case []: return await answer(.summary)
    case ["results"]:
      let after = try path.number("after", in: 0...(1 << 62), default: 0)
      let limit = try path.number("limit", in: 1...OpenAPI.spoolPage, default: 1000)
      return await answer(
        // bounded: held to a range that begins at 0
        .results(after: UInt64(after), limit: limit, waiting: try path.flag("waiting")))
    case ["quarantine"]: return await answer(.quarantine)
    case ["check"]: return await answer(.check)
    default: return failure(404, "NOT_FOUND", "no such document; docs/status.md lists them")
    }
  }

  /// `POST /api/v1/spool/resubmit`: over the agent's socket without a token, over TCP with it.
  func resubmit(authorization: String?) async -> Reply {
    await change(.resubmit, authorization: authorization)
  }

  /// `POST /api/v1/spool/submit`, for the same people; the one request with a body.
  func submit(_ body: [UInt8], authorization: String?) async -> Reply {
    await change(.submit(body), authorization: authorization)
  }

  private func change(_ question: SpoolQuestion, authorization: String?) async -> Reply {
    if !isSocket, let refusal = runNow.refusal(authorization) {
      return failure(refusal.status, refusal.code, refusal.message)
    }
    return await answer(question)
  }

  private func answer(_ question: SpoolQuestion) async -> Reply {
    let answer = await source.spool(question)
    var reply = Reply(answer.status, text: answer.text)
    reply.isSound = answer.isSound
    return reply
  }
}
