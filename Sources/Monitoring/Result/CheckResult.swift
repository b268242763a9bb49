// SPDX-License-Identifier: MIT

import Basics

/// The record of one run of a check: one value, made by one function, printed by pure renderers.
///
/// A value that was not measured is nil and absent from every output; nothing is filled in afterwards.
@dynamicMemberLookup
package struct CheckResult: Hashable, Sendable {
  /// UUIDv7, made once when the result is made and never again: the key that makes delivery idempotent.
  package var id: UniqueID
  package var checkID: UniqueID
  /// The check's name.
  package var check: String
  package var type: CheckType
  /// The target without user info, query and fragment.
  package var target: String
  package var trigger: Trigger
  /// The slot of the schedule this run belongs to; for a manual run, when it was asked for.
  package var scheduledAt: Timestamp
  /// When the first attempt began.
  package var startedAt: Timestamp
  /// How long after its slot the run began. Never part of the latency.
  package var late: Duration
  package var status: ResultStatus
  package var state: CheckState
  package var reason: Reason
  package var phase: Phase?
  /// One line for a person: what happened, where. At most 256 bytes, printable, without secrets.
  package var message: String?
  /// Facts of the last attempt.
  package var facts: ProbeFacts
  package var attempts: [AttemptFacts] = []
  /// Inside a maintenance window: shown, left out of uptime.
  package var maintenance = false
  /// A budget of this process kept the run from its end; of the schedule it is no result, and its slot is missed.
  package var isHeldBack = false
  /// A list takes the room of a pointer, and `confirm` is rare.
  private var confirmations: [QuorumVerdict] = []
  /// Verdict of the places of `confirm`. `nil` where none was asked.
  package var confirmation: QuorumVerdict? {
    get { confirmations.first }
    set { confirmations = newValue.map { [$0] } ?? [] }
  }

  package init(
    id: UniqueID, check: MonitoringCheck, trigger: Trigger, scheduledAt: Timestamp, startedAt: Timestamp,
    late: Duration, verdict: Verdict, facts: ProbeFacts = ProbeFacts()
  ) {
    self.id = id
    self.checkID = check.id
    self.check = check.name
    self.type = check.type
    self.target = check.target
    self.trigger = trigger
    self.scheduledAt = scheduledAt
    self.startedAt = startedAt
    self.late = late
    self.status = verdict.status
    self.state = verdict.state
    self.reason = verdict.reason
    self.phase = verdict.phase
    self.message = verdict.message
    self.facts = facts
  }

  /// A result that was made before, as it was kept.
  package init(
    id: UniqueID, checkID: UniqueID, check: String, type: CheckType, target: String, trigger: Trigger,
    scheduledAt: Timestamp, startedAt: Timestamp, late: Duration, status: ResultStatus, state: CheckState,
    reason: Reason, phase: Phase?, maintenance: Bool
  ) {
    (self.id, self.checkID, self.check, self.type) = (id, checkID, check, type)
    (self.target, self.trigger, self.maintenance) = (target, trigger, maintenance)
    (self.scheduledAt, self.startedAt, self.late) = (scheduledAt, startedAt, late)
    (self.status, self.state, self.reason, self.phase) = (status, state, reason, phase)
    facts = ProbeFacts()
  }

  /// For those who print. From another module each look costs a quarter of a microsecond: what is done for every result
  /// says `facts`.
  package subscript<Value>(dynamicMember fact: WritableKeyPath<ProbeFacts, Value>) -> Value {
    get { facts[keyPath: fact] }
    _modify { yield &facts[keyPath: fact] }
  }
  package subscript<Value>(dynamicMember fact: KeyPath<ProbeFacts, Value>) -> Value { facts[keyPath: fact] }
}

/// Facts of one attempt besides its verdict; a probe fills them in, and the result has them unchanged.
package struct ProbeFacts: Hashable, Sendable {
  /// From the start of resolution to the last byte needed; nil when the probe never left this machine.
  package var responseTime: Duration?
  package var timings = Timings()
  package var hops: [Hop] = []
  /// The address that was dialled; the port of an ICMP ping is 0.
  package var peer: SocketAddress?
  package var statusCode: Int?
  package var httpVersion: String?
  /// The body was longer than what was read of it (`max_body`).
  package var truncated = false
  /// The kernel's figures of the last connection: the last hop's, or a proxy's where there is one; for the connections
  /// of a ping, the segments sent again on any of them.
  package var tcp: TransportFacts?
  package var tls: TLSFacts?
  package var dns: DNSFacts?
  package var ping: PingFacts?
  /// Steps of the dialog on a tcp or tls check's connection, in order, up to the one that failed.
  package var dialog: [DialogStepFacts] = []
  /// All conditions of the check, always, also those that hold.
  package var assertions: [Assertion] = []
  /// With `addresses: each`: what every address came to, in the order they were resolved in.
  package var addresses: [AddressVerdict] = []
  /// On failure only: up to 1 KiB of what the target said, redacted. Stays on this machine.
  package var excerpt: String?
  /// A list takes the room of a pointer, and an explanation is rarely asked for.
  private var accounts: [ProbeAccount] = []

  package init() {}

  /// Where an explanation was asked for, what it needs besides.
  package var account: ProbeAccount? {
    get { accounts.first }
    set { accounts = newValue.map { [$0] } ?? [] }
  }
  /// The address that was dialled, as text, with the port if there is one.
  package var address: String? { peer.map { $0.port == 0 ? $0.address.description : $0.description } }
  /// 4 or 6.
  package var ipVersion: Int? { peer?.address.version }
}

/// Verdict of one attempt, or of a whole run. Status and state follow from the reason; they are never set apart.
package struct Verdict: Hashable, Sendable {
  package var reason: Reason
  package var phase: Phase?
  /// Sanitised and cut to 256 bytes by the initialiser.
  package var message: String?
  /// The target works but crossed a warn threshold.
  package var degraded: Bool
  /// The reason would blame the target, but the cause is not known: the same reason strikes everything at the moment,
  /// as when no resolver of this machine answers.
  package var isUnknown: Bool
  /// The attempt's time ran out. It only counts for reasons that do not say so themselves.
  package var timedOut: Bool

  package init(
    _ reason: Reason, phase: Phase? = nil, message: String? = nil, degraded: Bool = false,
    isUnknown: Bool = false, timedOut: Bool = false
  ) {
    self.timedOut = timedOut
    self.reason = reason
    self.phase = phase
    self.message = message.map { $0.printable(maxBytes: 256) }
    self.degraded = degraded
    self.isUnknown = isUnknown
  }

  package static let ok = Verdict(.ok)

  /// The same in other words.
  package func with(message: String) -> Verdict {
    var verdict = self
    verdict.message = message.printable(maxBytes: 256)
    return verdict
  }

  /// True for up and degraded: a run stops retrying.
  package var isSuccess: Bool { reason == .ok || degraded }

  package var status: ResultStatus { ResultStatus(reason, degraded: degraded, timedOut: timedOut) }

  package var state: CheckState {
    if degraded { return .degraded }
    if reason == .ok { return .up }
    return isUnknown || reason.isInconclusive ? .unknown : .down
  }
}

/// Duration of each part, on the monotonic clock. `nil` where the probe never got there, or does not have the part.
package struct Timings: Hashable, Sendable {
  package var dns: Duration?
  package var connect: Duration?
  /// Duration of the plain text until TLS could begin.
  package var startTLS: Duration?
  package var tls: Duration?
  /// From the end of the connection's set-up to the first byte of the answer.
  package var firstByte: Duration?
  /// From the first byte to the last one needed; absent when the body is not needed.
  package var transfer: Duration?
  package var total: Duration?

  package init(
    dns: Duration? = nil, connect: Duration? = nil, startTLS: Duration? = nil, tls: Duration? = nil,
    firstByte: Duration? = nil, transfer: Duration? = nil, total: Duration? = nil
  ) {
    self.dns = dns
    self.connect = connect
    self.startTLS = startTLS
    self.tls = tls
    self.firstByte = firstByte
    self.transfer = transfer
    self.total = total
  }
}

/// One request of an http probe; a redirect makes the next.
package struct Hop: Hashable, Sendable {
  /// Without user info, query and fragment.
  package var url: String
  package var statusCode: Int?
  package var address: String?
  package var timings: Timings
  /// The kernel's figures of its connection.
  package var tcp: TransportFacts?

  package init(
    url: String, statusCode: Int? = nil, address: String? = nil, timings: Timings = Timings(),
    tcp: TransportFacts? = nil
  ) {
    self.url = url
    self.statusCode = statusCode
    self.address = address
    self.timings = timings
    self.tcp = tcp
  }
}

/// Facts of a handshake, also when it was refused.
package struct TLSFacts: Hashable, Sendable {
  package var version: String?
  package var cipher: String?
  package var verified: Bool
  /// The verification's problem in words; nil when verified.
  package var verifyError: String?
  /// The leaf's end of validity.
  package var notAfter: Timestamp?
  /// Whole days until `notAfter`, rounded down; negative once expired.
  package var daysRemaining: Int?
  /// The earliest end of validity on the path of trust, leaf and anchor included; nil when there is no such path.
  package var pathNotAfter: Timestamp?
  /// Whole days until `pathNotAfter`, as `daysRemaining`.
  package var pathDaysRemaining: Int?
  /// As presented, leaf first.
  package var chain: [CertificateFacts]

  package init(
    version: String? = nil, cipher: String? = nil, verified: Bool, verifyError: String? = nil,
    notAfter: Timestamp? = nil, daysRemaining: Int? = nil, pathNotAfter: Timestamp? = nil,
    pathDaysRemaining: Int? = nil, chain: [CertificateFacts] = []
  ) {
    self.version = version
    self.cipher = cipher
    self.verified = verified
    self.verifyError = verifyError
    self.notAfter = notAfter
    self.daysRemaining = daysRemaining
    self.pathNotAfter = pathNotAfter
    self.pathDaysRemaining = pathDaysRemaining
    self.chain = chain
  }

  /// The one count of days for every surface. Rounded down also below zero: a second past the end is day -1.
  package static func wholeDays(from now: Timestamp, to end: Timestamp) -> Int {
    let microseconds = now.duration(to: end).microseconds
    let day: Int64 = 86_400_000_000
    return Int(microseconds / day) - (microseconds % day < 0 ? 1 : 0)
  }

  /// Words on how long ago a validity ended: whole days that have passed since.
  package static func ago(_ end: Timestamp, at now: Timestamp) -> String {
    let days = wholeDays(from: end, to: now)
    return days < 1 ? "less than a day ago" : "\(counted(days, "day")) ago"
  }
}

/// One certificate of a presented chain. Text fields are sanitised and cut.
package struct CertificateFacts: Hashable, Sendable {
  package var subject: String
  package var issuer: String
  package var notBefore: Timestamp
  package var notAfter: Timestamp
  /// Hexadecimal, leading zeros kept.
  package var serial: String
  /// SHA-256 of the DER form, hexadecimal.
  package var sha256: String
  /// The first ones: 64 of a leaf's, 8 of any other's.
  package var sans: [String]
  /// How many there are, when that is more.
  package var sansTotal: Int?

  package init(
    subject: String, issuer: String, notBefore: Timestamp, notAfter: Timestamp, serial: String,
    sha256: String,
    sans: [String], sansTotal: Int? = nil
  ) {
    self.sansTotal = sansTotal
    self.subject = subject
    self.issuer = issuer
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.serial = serial
    self.sha256 = sha256
    self.sans = sans
  }
}

/// A name server's answer.
package struct DNSFacts: Hashable, Sendable {
  /// Mnemonic of the response code, such as `NOERROR` or `NXDOMAIN`.
  package var rcode: String
  package var answers: [DNSAnswer]
  package var authoritative: Bool
  /// The first answer over UDP was cut.
  package var truncated: Bool
  /// `udp`, `tcp`, `dot` or `doh`: the transport the judged answer came by.
  package var transport: String
  /// The server vouches for the answer (AD, RFC 4035).
  package var authentic = false
  /// Records of the answer section, of which `answers` holds the first ones.
  package var answerCount = 0
  /// Packets that came before the answer and answered no question of ours.
  package var ignored = 0
  /// The server's own words for what went wrong (RFC 8914).
  package var errors: [String] = []

  package init(rcode: String, answers: [DNSAnswer], authoritative: Bool, truncated: Bool, transport: String) {
    self.rcode = rcode
    self.answers = answers
    self.authoritative = authoritative
    self.truncated = truncated
    self.transport = transport
  }
}

/// One resource record of the answer section, in presentation format.
package struct DNSAnswer: Hashable, Sendable {
  package var name: String
  package var type: String
  package var ttl: UInt32
  package var data: String

  package init(name: String, type: String, ttl: UInt32, data: String) {
    self.name = name
    self.type = type
    self.ttl = ttl
    self.data = data
  }
}

/// Counts of a ping probe.
package struct PingFacts: Hashable, Sendable {
  package var sent: Int
  package var received: Int
  package var minimum: Duration?
  package var average: Duration?
  package var maximum: Duration?
  package var standardDeviation: Duration?
  /// Mean difference between the round trips of one reply and the next, in the order of sending; nil with less than two.
  package var jitter: Duration?
  /// Requests that an ICMP error answered; they count as lost.
  package var refused = 0

  /// Lost share in percent, 0 to 100.
  package var loss: Double { sent == 0 ? 0 : Double(sent - received) * 100 / Double(sent) }

  package init(
    sent: Int, received: Int, minimum: Duration? = nil, average: Duration? = nil, maximum: Duration? = nil,
    standardDeviation: Duration? = nil, jitter: Duration? = nil
  ) {
    self.sent = sent
    self.received = received
    self.minimum = minimum
    self.average = average
    self.maximum = maximum
    self.standardDeviation = standardDeviation
    self.jitter = jitter
  }
}

/// One condition of a check, evaluated.
package struct Assertion: Hashable, Sendable {
  /// The key in `expect`, such as `status` or `body.contains`.
  package var what: String
  package var expected: String
  /// The value found; the empty string when there was none.
  package var actual: String
  package var ok: Bool

  package init(what: String, expected: String, actual: String, ok: Bool) {
    self.what = what
    self.expected = expected.printable(maxBytes: 256)
    self.actual = actual.printable(maxBytes: 256)
    self.ok = ok
  }
}
