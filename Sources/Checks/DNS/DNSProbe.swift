// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Asks a name server one question and judges the answer.
///
/// The server is the check's own, resolved and judged by the egress policy like any target, or the machine's, asked in
/// turn as the resolver would. The response time runs from the start of resolving the server's name to the last byte of
/// the answer; `first_byte` is the question's own share of it. Time for serial agreement is in neither.
package struct DNSProbe: Probe {
  private let reactor: Reactor
  private let finder: TargetFinder
  private let system: SystemResolver
  private let engine: CurlEngine?
  private let bench: JudgeBench

  /// `system` knows the machine's name servers; the finder's resolver finds those a check names. Without an engine a
  /// check with transport dot or doh is unsupported.
  package init(
    reactor: Reactor, finder: TargetFinder, system: SystemResolver, engine: CurlEngine? = nil,
    bench: JudgeBench = JudgeBench()
  ) {
    self.bench = bench
    self.reactor = reactor
    self.finder = finder
    self.system = system
    self.engine = engine
  }

  package func find(_ attempt: Attempt) async throws(CancellationError) -> TargetFinder.Finding? {
    try await finder.find(attempt)
  }

  package func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    let pauses = PauseWatch()
    let run: Run
    switch prepare(attempt) {
    case .run(let prepared): run = prepared
    case .ended(let outcome): return .done(outcome)
    }
    guard let server = run.settings.server else { return done(try await askSystem(run), pauses) }
    guard run.isPlain, addresses.count == 1 else {
      return done(try await ask(addresses, of: server, run, dns: dns), pauses)
    }
    // Without the layers that other checks need: each of them costs as much as judging the answer.
    let client = DNSClient(reactor: reactor, phase: .answer, name: server)
    let query = DNSClient.query(run.question, recursion: run.settings.recursion)
    let reply = try await client.askOverUDP(query, addresses[0], until: attempt.deadline)
    return done(try await judged(reply, from: addresses[0], run, dns: dns), pauses)
  }

  private func done(_ outcome: ProbeOutcome, _ pauses: PauseWatch) -> Probed {
    var outcome = outcome
    outcome.paused = pauses.longest
    return .done(outcome)
  }

  package func unanswered(_ outcome: ProbeOutcome, _ attempt: Attempt) async -> ProbeOutcome {
    switch prepare(attempt) {
    case .ended(let own): return own
    case .run(let run):
      var outcome = outcome
      outcome.assertions = DNSJudge(settings: run.settings, question: run.question).unanswered()
      return outcome
    }
  }

  private enum Preparation {
    case run(Run)
    case ended(ProbeOutcome)
  }

  /// Never inlined: an asynchronous function would keep the settings for as long as it waits.
  @inline(never)
  private func prepare(_ attempt: Attempt) -> Preparation {
    let check = attempt.check
    guard case .dns(let settings) = check.kind else { return .ended(.unsupported(check, by: "dns")) }
    guard let question = DNSQuestion(settings) else {
      let words = "cannot ask for \(settings.name) \(settings.recordType)"
      return .ended(ProbeOutcome(Verdict(.unsupported, phase: .prepare, message: words)))
    }
    if check.origin == .api, settings.server == nil {
      // They know names that are nobody's business outside, and answer this machine because it is in here.
      let words = "a check from the API must name its server: this machine's own are not for it to ask"
      return .ended(ProbeOutcome(Verdict(.policyDenied, phase: .prepare, message: words)))
    }
    return .run(Run(attempt, settings, question))
  }

  /// One attempt's fixed parts. A class: they are handed on many times, and are much to copy.
  final class Run: Sendable {
    let attempt: Attempt
    let settings: DNSSettings
    let question: DNSQuestion

    var check: MonitoringCheck { attempt.check }

    /// One question by UDP is all there is.
    var isPlain: Bool { settings.transport == .udp && !settings.expect.serialAgreement }

    init(_ attempt: Attempt, _ settings: DNSSettings, _ question: DNSQuestion) {
      self.attempt = attempt
      self.settings = settings
      self.question = question
    }
  }

  private func askSystem(_ run: Run) async throws(CancellationError) -> ProbeOutcome {
    let settings = run.settings
    let ask: SerialSurveyor.Ask = {
      (question: DNSQuestion, deadline: Instant) async throws(CancellationError) in
      try await system.ask(
        question, recursion: settings.recursion, over: settings.transport, phase: .answer, until: deadline)
    }
    var time = AttemptTime(until: run.attempt.deadline)
    let reply = try await ask(run.question, time.deadline)
    time.spend(reply.spent)
    var serials: SerialSurvey?
    if settings.expect.serialAgreement, reply.failure == nil {
      serials = try await survey(run, port: 53, within: time, ask)
    }
    return try await judged(reply, from: nil, run, dns: nil, serials: serials)
  }

  private func ask(
    _ addresses: [SocketAddress], of server: Endpoint, _ run: Run, dns: Duration?
  ) async throws(CancellationError) -> ProbeOutcome {
    var time = AttemptTime(until: run.attempt.deadline)
    var client = DNSClient(
      reactor: reactor, phase: .answer, name: server, transport: run.settings.transport)
    if let engine, run.settings.transport == .dot || run.settings.transport == .doh {
      let secured = DNSSecured(
        engine: engine, attempt: run.attempt, options: run.settings.tls, endpoint: server, time: system.time)
      client.secured = { client, query, server, deadline throws(CancellationError) in
        try await client.ask(query, server, secured, until: deadline)
      }
    }
    var peer = addresses[0]
    let reply: DNSReply
    if addresses.count == 1 {
      reply = try await client.ask(
        run.question, recursion: run.settings.recursion, server: peer, until: time.deadline)
    } else {
      (reply, peer) = try await client.ask(
        run.question, recursion: run.settings.recursion, ofFirst: addresses, until: time.deadline)
    }
    time.spend(reply.spent)
    guard run.settings.expect.serialAgreement, reply.failure == nil else {
      return try await judged(reply, from: peer, run, dns: dns)
    }
    let serials = try await survey(run, client, of: server, at: peer, within: time)
    return try await judged(reply, from: peer, run, dns: dns, serials: serials)
  }

  private func survey(
    _ run: Run, _ client: DNSClient, of server: Endpoint, at peer: SocketAddress, within time: AttemptTime
  ) async throws(CancellationError) -> SerialSurvey {
    let plain = run.settings.transport == .udp || run.settings.transport == .tcp
    return try await survey(run, port: plain ? server.port : 53, within: time) {
      (question: DNSQuestion, deadline: Instant) async throws(CancellationError) in
      try await client.ask(question, recursion: run.settings.recursion, server: peer, until: deadline)
    }
  }

  private func survey(
    _ run: Run, port: UInt16, within time: AttemptTime, _ ask: @escaping SerialSurveyor.Ask
  ) async throws(CancellationError) -> SerialSurvey {
    let surveyor = SerialSurveyor(
      reactor: reactor, finder: finder, attempt: run.attempt, port: port, ask: ask)
    return try await surveyor.survey(of: run.question.name, until: time.deadline)
  }

  /// Most answers are a few hundred bytes, held against a literal or nothing.
  private func judged(
    _ reply: DNSReply, from peer: SocketAddress?, _ run: Run, dns: Duration?, serials: SerialSurvey? = nil
  ) async throws(CancellationError) -> ProbeOutcome {
    let weight = reply.weight * run.settings.expect.conditionCount
    let isLight = !run.settings.expect.hasPatterns
    if isLight, weight <= JudgeBench.small {
      return Self.outcome(of: reply, from: peer, run, dns, serials, CPUBudget(bytes: weight))
    }
    let origin = run.attempt.origin(of: run.settings.server?.host ?? "")
    return try await bench.judge(run.check.id, for: origin, bytes: weight, isLight: isLight) { budget in
      var reply = reply
      if let fault = budget.lateness { reply.content = .failure(fault) }
      var outcome = Self.outcome(of: reply, from: peer, run, dns, serials, budget)
      outcome.isHeldBack = budget.lateness != nil
      return outcome
    }
  }

  /// Never inlined: an asynchronous function would keep all of this for as long as it waits.
  @inline(never)
  static func outcome(
    of reply: DNSReply, from peer: SocketAddress?, _ run: Run, _ dns: Duration?, _ serials: SerialSurvey?,
    _ budget: CPUBudget
  ) -> ProbeOutcome {
    let total = (dns ?? .zero) + reply.elapsed
    var timings = Timings(dns: dns, connect: reply.connect, tls: reply.secure?.handshake, total: total)
    let judge = DNSJudge(settings: run.settings, question: run.question, serials: serials)
    var outcome: ProbeOutcome
    switch reply.content {
    case .failure(let verdict):
      if reply.cutAfter > .zero { timings.firstByte = reply.cutAfter }
      timings.giveRest(of: reply.elapsed - reply.cutAfter, to: verdict.phase)
      let isOurs = verdict.reason == .localFault && reply.elapsed == .zero
      outcome = ProbeOutcome(
        verdict, responseTime: isOurs ? nil : total, timings: timings, assertions: judge.unanswered())
    case .message(let message):
      timings.firstByte = reply.elapsed - (reply.connect ?? .zero) - (reply.secure?.handshake ?? .zero)
      let (verdict, assertions) = judge.judge(message, within: budget)
      outcome = ProbeOutcome(
        verdict, responseTime: total, timings: timings, dns: DNSFacts(message, reply), assertions: assertions)
      if run.attempt.explains {
        var account = ProbeAccount()
        account.sections = AnswerSections(message)
        outcome.account = account
      }
    }
    outcome.peer = peer
    outcome.tcp = reply.tcp
    if let secure = reply.secure {
      outcome.tls = secure.tls
      outcome.statusCode = secure.statusCode
      outcome.httpVersion = secure.httpVersion
    }
    return outcome
  }
}

extension DNSClient {
  /// The first address that answers anything counts, each with its share of the time that is left.
  fileprivate func ask(
    _ question: DNSQuestion, recursion: Bool, ofFirst addresses: [SocketAddress],
    until deadline: Instant
  ) async throws(CancellationError) -> (reply: DNSReply, peer: SocketAddress) {
    var time = AttemptTime(until: deadline)
    var (elapsed, held) = (Duration.zero, Duration.zero)
    var worst: (reply: DNSReply, peer: SocketAddress)?
    for (index, peer) in addresses.enumerated() {
      let share = time.left / (addresses.count - index)
      var reply = try await ask(
        question, recursion: recursion, server: peer, until: time.deadline(after: share))
      time.spend(reply.spent)
      elapsed += reply.elapsed
      held += reply.held
      (reply.elapsed, reply.held) = (elapsed, held)
      guard let failure = reply.failure else { return (reply, peer) }
      if worst == nil || !failure.reason.isLocal { worst = (reply, peer) }
    }
    guard var worst else { preconditionFailure("asked no server at all") }
    (worst.reply.elapsed, worst.reply.held) = (elapsed, held)
    return worst
  }
}

extension DNSReply {
  /// Bytes of the answers, more or less.
  fileprivate var weight: Int {
    guard case .message(let message) = content else { return 0 }
    return message.answers.reduce(0) { $0 + $1.data.utf8.count + 16 }
  }
}

extension DNSExpectations {
  private var conditions: [Condition] { answersAny + answersAll + answersExact + answersNone }
  fileprivate var conditionCount: Int { conditions.count }
  fileprivate var hasPatterns: Bool { conditions.contains { $0.comparison.isPattern } }
}

extension DNSQuestion {
  /// `nil` for a name or type that cannot be asked for.
  init?(_ settings: DNSSettings) {
    guard let name = DNSName(settings.name), let type = DNSRecordType(settings.recordType) else { return nil }
    self.init(name: name, type: type, recordClass: settings.recordClass.code, wantsProof: settings.dnssec)
  }
}

extension DNSClass {
  /// RFC 1035 3.2.4.
  fileprivate var code: UInt16 {
    switch self {
    case .in: 1
    case .ch: 3
    case .hs: 4
    }
  }
}

extension DNSFacts {
  /// Records kept of one answer; the rest is counted.
  private static let answerLimit = 64
  /// Bytes of their names and data, the first answer aside: every result of the check holds them.
  private static let answerBytes = 16 * 1024

  init(_ message: DNSMessage, _ reply: DNSReply) {
    var answers: [DNSAnswer] = []
    var bytes = 0
    for record in message.answers.prefix(Self.answerLimit) {
      let answer = DNSAnswer(
        name: record.name.description, type: record.type.description, ttl: record.ttl,
        data: record.data.printable(maxBytes: 1024))
      bytes += answer.name.utf8.count + answer.data.utf8.count
      if !answers.isEmpty, bytes > Self.answerBytes { break }
      answers.append(answer)
    }
    self.init(
      rcode: message.rcode.description, answers: answers, authoritative: message.authoritative,
      truncated: reply.truncated, transport: reply.transport.rawValue)
    authentic = message.authentic
    answerCount = message.answers.count
    ignored = reply.ignored
    errors = message.extendedErrors.prefix(8).map(\.description)
  }
}

extension AnswerSections {
  init(_ message: DNSMessage) {
    self.init()
    answer = message.answers.map(\.line)
    authority = message.authority.map(\.line)
    additional = message.additional.map(\.line)
  }
}

extension DNSRecord {
  /// As a zone file has it.
  fileprivate var line: String {
    let word =
      switch recordClass {
      case 1: "IN"
      case 3: "CH"
      case 4: "HS"
      default: "CLASS\(recordClass)"
      }
    return "\(name)\t\(ttl)\t\(word)\t\(type)\t\(data)"
  }
}

extension Timings {
  /// Adds the time of no other part to the phase that the question failed in.
  fileprivate mutating func giveRest(of elapsed: Duration, to phase: Phase?) {
    let rest = elapsed - (connect ?? .zero) - (tls ?? .zero)
    guard rest > .zero else { return }
    switch phase {
    case .connect where connect == nil: connect = rest
    case .tls where tls == nil: tls = rest
    case .connect, .tls, .dns, .prepare, nil: break
    default: firstByte = (firstByte ?? .zero) + rest
    }
  }
}
