// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How delivery goes, for the status page and `quartz-agent status`.
package struct DeliveryStatus: Hashable, Sendable {
  package var dialect: DeliveryDialect
  /// Counts since the start, the last success, and what is wrong.
  package var tally = DeliveryTally()
  /// Nothing is sent before then. `nil` once it has passed.
  package var heldUntil: Timestamp?
  /// When the request began that has no answer yet. `nil` while none is under way.
  package var requestSince: Timestamp?
  /// Rows in memory on their way, refused parts included.
  package var open = 0
  /// Of these, rows whose bad neighbour is looked for once the hourly allowance is back.
  package var parked = 0
  /// The backlog lane had records when it was last looked at.
  package var hasBacklog = false
  /// Rows in a request now, and what the settings ask for.
  package var batch = 0
  package var configuredBatch = 0
  package var usage = RequestUsage()
  /// The budget has no request for new results before then.
  package var throttledUntil: Timestamp?

  package init(_ dialect: DeliveryDialect) { self.dialect = dialect }

  /// - Parameter time: that of the machine; what is shown is by the wall clock.
  init(_ machine: DeliveryMachine, usage: RequestUsage, dialect: DeliveryDialect, time: SteadyTime) {
    let now = time.now
    self.dialect = dialect
    self.tally = machine.tally
    tally.lastSuccess = tally.lastSuccess.map(time.shown)
    tally.troubleSince = tally.troubleSince.map(time.shown)
    self.heldUntil = machine.holdUntil.flatMap { $0 > now ? time.shown($0) : nil }
    self.requestSince = machine.sentAt.map(time.shown)
    self.open = machine.lanes.values.reduce(0) { $0 + $1.openRows }
    self.parked = machine.parkedRows
    self.hasBacklog = (machine.lanes[.backlog]?.openRows ?? 0) > 0
    self.batch = machine.batchLimit
    self.configuredBatch = machine.settings.batch
    self.usage = usage
    // A wait of seconds is the pace of ordinary delivery.
    self.throttledUntil = machine.throttled[.live].flatMap {
      $0 > now.advanced(by: .seconds(5)) ? time.shown($0) : nil
    }
  }

  /// Why the last request failed, since when, and the next try; `nil` once a later one succeeded.
  package var lastError: Notice? {
    guard var error = tally.trouble else { return nil }
    error.since = tally.troubleSince ?? .epoch
    if let requestSince {
      error.what += "; a request is under way since \(requestSince.rfc3339)"
    } else if let heldUntil {
      error.what += "; next try at \(heldUntil.rfc3339)"
    }
    return error
  }

  /// Notices beside the failures of delivery itself and its counts.
  package var notices: [Notice] {
    var notices: [Notice] = []
    if tally.quarantined > 0 {
      notices.append(
        .warning(
          .delivery,
          "\(refused(tally.quarantined)) by the receiver since the start (\(codes))",
          hint: Self.hint(tally.codes)))
    }
    if let throttledUntil {
      notices.append(
        .warning(
          .delivery,
          "the request budget is used up: nothing is sent before \(throttledUntil.rfc3339) "
            + "(\(usage.minute) of \(usage.allowedPerMinute) in a minute, \(usage.hour) of \(usage.perHour) in an hour)",
          hint: "results wait in the store; larger batches or fewer checks need fewer requests"))
    }
    if parked > 0 {
      notices.append(
        .warning(
          .delivery,
          "\(counted(parked, "result is", "results are")) parked: isolating the rejected row, at most 40 requests an hour"
        ))
    }
    if batch < configuredBatch {
      notices.append(
        .warning(
          .delivery, "batches of \(batch): the receiver took no larger ones",
          hint:
            "raise the limits of size and time of the receiver, and of the proxy before it; a larger batch is tried "
            + "after ten minutes, then ever more rarely"
        ))
    }
    if let problem = usage.skewProblem {
      notices.append(
        .warning(
          .clock, "\(problem); results carry this machine's time",
          hint: "check the time synchronisation of both"))
    }
    if let problem = usage.storeProblem {
      notices.append(
        .warning(
          .delivery,
          "the request count of the previous run cannot be read, so sending waits a minute: \(problem)",
          hint: "look at the state directory"))
    }
    return notices
  }

  private func refused(_ count: Int) -> String {
    counted(count, "result was", "results were") + " refused"
  }

  /// The next step for refused results. An id that another result has says more than a row that does not fit.
  package static func hint(_ codes: [ByteText: Int]) -> String {
    let look = "look at them: quartz-agent spool quarantine ls"
    guard codes["23505"] != nil else { return look }
    return look
      + "; 23505: another key, or a copy of this state directory, posted other results with their ids"
  }

  private var codes: String {
    tally.codes.sorted { ($1.value, $0.key.text) < ($0.value, $1.key.text) }.prefix(4).map {
      "\($0.value) × \($0.key)"
    }
    .joined(separator: ", ")
  }
}

/// Use of the rate budget.
package struct RequestUsage: Hashable, Sendable {
  package var minute: Int
  package var hour: Int
  package var allowedPerMinute: Int
  package var perHour: Int
  /// Why the count of the previous run cannot be read.
  package var storeProblem: String?
  /// By the Date of its last answer: negative when the server's clock is behind. Results carry this machine's time
  /// whatever it says.
  package var serverAhead: Duration?

  package init(
    minute: Int = 0, hour: Int = 0, allowedPerMinute: Int = 0, perHour: Int = 0, storeProblem: String? = nil,
    serverAhead: Duration? = nil
  ) {
    (self.minute, self.hour) = (minute, hour)
    (self.allowedPerMinute, self.perHour) = (allowedPerMinute, perHour)
    (self.storeProblem, self.serverAhead) = (storeProblem, serverAhead)
  }

  /// More than this is worth a word: an answer's Date is whole seconds, and an answer may be on its way for some.
  static let tolerableSkew: Duration = .seconds(30)

  /// In words; nil while the clocks agree.
  package var skewProblem: String? {
    guard let serverAhead else { return nil }
    let seconds = serverAhead.components.seconds
    guard abs(seconds) > Self.tolerableSkew.components.seconds else { return nil }
    let way = seconds > 0 ? "ahead of" : "behind"
    return "the receiver's clock is \(Duration.seconds(abs(seconds)).text) \(way) this machine's"
  }
}
