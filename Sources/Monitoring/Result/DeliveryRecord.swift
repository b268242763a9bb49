// SPDX-License-Identifier: MIT

import Basics

/// The stored and delivered part of a result: no URL, no body, no header, at most 1 KiB encoded.
package struct DeliveryRecord: Hashable, Sendable {
  package var id: UniqueID
  package var checkID: UniqueID
  /// The agent's name, as configured when the result was made.
  package var agent: String
  package var scheduledAt: Timestamp
  package var startedAt: Timestamp
  package var trigger: Trigger
  package var status: ResultStatus
  package var state: CheckState
  package var reason: Reason
  package var phase: Phase?
  package var statusCode: Int?
  package var responseTime: Duration?
  package var timings: Timings
  package var certificateNotAfter: Timestamp?
  /// At most 256 bytes.
  package var message: String?
  package var flags: Flags
  /// Its id on the wire, where that is not `id`: a slot of a group has one id, whichever member ran it.
  package var wireID: UniqueID?
  /// The revision of the group's view that made this agent the check's owner; nil: it was not, or there is no group.
  package var ownerRevision: Int64?
  /// Stays on this machine. `nil` of a run by hand, and in a record of an earlier version.
  package var hold: VerdictHold?

  package struct Flags: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Belongs in the delivery lanes. Without it the record serves windows and the page only.
    package static let post = Flags(rawValue: 1)
    package static let maintenance = Flags(rawValue: 2)
    /// Went back from the quarantine to the lanes: it was counted when it was made.
    package static let resubmitted = Flags(rawValue: 4)
    /// The path to the target is traced because of it. The trace stays on this machine.
    package static let traced = Flags(rawValue: 8)
    /// The places of `confirm` came to another verdict than this one: down here is degraded, anything else is down.
    package static let overruled = Flags(rawValue: 16)
  }

  package init(_ result: CheckResult, agent: String, flags: Flags) {
    self.id = result.id
    self.checkID = result.checkID
    self.agent = agent
    self.scheduledAt = result.scheduledAt
    self.startedAt = result.startedAt
    self.trigger = result.trigger
    // As measured here, whatever other places found.
    let own = result.confirmation?.own
    self.status = result.status
    self.state = own?.state ?? result.state
    self.reason = own?.reason ?? result.reason
    self.phase = own.map(\.phase) ?? result.phase
    self.statusCode = result.statusCode
    self.responseTime = result.responseTime
    self.timings = result.timings
    self.certificateNotAfter = result.tls?.notAfter
    self.message = own.map(\.message) ?? result.message
    self.flags = result.maintenance ? flags.union(.maintenance) : flags
    if result.confirmation?.isOverruled == true { self.flags.insert(.overruled) }
  }

  /// For decoders: every stored field.
  package init(
    id: UniqueID, checkID: UniqueID, agent: String, scheduledAt: Timestamp, startedAt: Timestamp,
    trigger: Trigger, status: ResultStatus, state: CheckState, reason: Reason, phase: Phase?,
    statusCode: Int?, responseTime: Duration?, timings: Timings, certificateNotAfter: Timestamp?,
    message: String?, flags: Flags
  ) {
    self.id = id
    self.checkID = checkID
    self.agent = agent
    self.scheduledAt = scheduledAt
    self.startedAt = startedAt
    self.trigger = trigger
    self.status = status
    self.state = state
    self.reason = reason
    self.phase = phase
    self.statusCode = statusCode
    self.responseTime = responseTime
    self.timings = timings
    self.certificateNotAfter = certificateNotAfter
    self.message = message
    self.flags = flags
  }

  /// The id that a receiver knows it by.
  package var sentID: UniqueID { wireID ?? id }

  /// True when this record may leave the machine: wanted by the receiver, and a verdict about the target.
  package var isDeliverable: Bool { flags.contains(.post) && state != .unknown }

  package var late: Duration { scheduledAt.duration(to: startedAt) }

  /// The verdict that windows and alerts count: that of the places of `confirm`, or else this place's own.
  package var judged: (state: CheckState, reason: Reason, phase: Phase?) {
    guard flags.contains(.overruled) else { return (state, reason, phase) }
    return (state == .down ? .degraded : .down, .regional, nil)
  }
}

/// A record with its place in the store.
package struct QueuedRecord: Hashable, Sendable {
  /// Strictly increasing over the life of the store, restarts included.
  package var sequence: UInt64
  package var record: DeliveryRecord

  package init(sequence: UInt64, record: DeliveryRecord) {
    self.sequence = sequence
    self.record = record
  }
}

/// New results go first; what piled up during an outage follows, oldest first.
package enum DeliveryLane: Hashable, Sendable, CaseIterable {
  case live, backlog
}

/// The uploader's view of the store, and all it knows of it.
package protocol DeliveryQueue: Sendable {
  /// The oldest deliverable records of the lane that are not settled, at most `limit`, in sequence order.
  func pending(_ lane: DeliveryLane, limit: Int) async -> [QueuedRecord]
  /// These records of the lane are settled, and no others. Durable when it returns.
  func acknowledge(_ lane: DeliveryLane, _ sequences: [UInt64]) async
  /// A request with these records begins. Returns those that still wait: what was dropped and counted as lost is not sent.
  func beginDelivery(_ sequences: [UInt64]) async -> Set<UInt64>
  /// The request ended, and what it settled was acknowledged.
  func endDelivery() async
  /// Sets refused records aside with the receiver's code. Does not acknowledge them.
  func quarantine(_ records: [QueuedRecord], code: String) async
  /// Delivery works again after an outage: what is pending now becomes the backlog, what comes next is live.
  func startLiveLane() async
}

/// A queue that drops nothing.
extension DeliveryQueue {
  package func beginDelivery(_ sequences: [UInt64]) async -> Set<UInt64> { Set(sequences) }

  package func endDelivery() async {}
}
