// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Curl
import Logging
import Monitoring
import QuartzAPI
import Spool

extension QuartzLink {
  /// The link of this agent: over the engine and the resolver that the probes use.
  init(
    _ quartz: QuartzSettings, _ settings: Settings, _ engine: ProbeEngine, _ spool: ResultSpool,
    _ starts: StartWatch, _ reporter: AgentReporter, apply: @escaping @Sendable (PulledChecks) async -> Void
  ) throws(QuartzSetupError) {
    var outside = Outside(
      engine: engine.curl, resolve: engine.resolver.forRequests(engine.own),
      stateDirectory: settings.agent.stateDir,
      queue: spool, readKey: rereading(quartz.apiKeyFile),
      report: { await reporter.report() }, apply: apply)
    outside.time = engine.time
    outside.watched = { WatchedFile(file: $1, name: $0, watch: starts) }
    try self.init(quartz, settings, outside)
  }

  /// The way out for a few results of one command, which opens no store and keeps nothing.
  init(
    _ quartz: QuartzSettings, _ settings: Settings, _ engine: ProbeEngine, _ handful: Handful
  ) throws(QuartzSetupError) {
    var outside = Outside(
      engine: engine.curl, resolve: engine.resolver.forRequests(engine.own), stateDirectory: nil,
      queue: handful, readKey: rereading(quartz.apiKeyFile), apply: { _ in })
    outside.time = engine.time
    try self.init(quartz, settings, outside)
  }

  private init(
    _ quartz: QuartzSettings, _ settings: Settings, _ outside: Outside
  ) throws(QuartzSetupError) {
    var rules = MappingRules(quartz.checks)
    rules.limit = settings.limits.remoteChecks
    rules.minimumInterval = settings.limits.remoteIntervalMin
    rules.methods = Set(settings.egress.methods.map { ByteText($0) })
    rules.destinations.hosts = settings.limits.destinations
    if case .tcp(_, let port) = settings.status.listen, port > 0 { rules.own.ports = [port] }
    let identity = QuartzAPI.AgentIdentity(
      name: settings.agent.name, region: settings.agent.region, version: agentVersion)
    try self.init(quartz, agent: identity, rules: rules, outside: outside)
  }
}

extension SystemResolver {
  /// What the API's name resolves to is closed to the checks it sends.
  fileprivate func forRequests(_ own: OwnPlaces) -> CurlExchange.Resolve {
    { host, _ in
      do {
        let found = try await self.resolve(host, ip: .any, deadline: .now + .seconds(10))
        if let failure = found.failure {
          return .failure(ResolveFailure("\(host) cannot be resolved: \(failure.reason.rawValue)"))
        }
        own.noteAPI(found.addresses)
        return .success(found.addresses.map(\.description))
      } catch { return .failure(ResolveFailure("cancelled")) }
    }
  }
}

/// The key file, read again off the cooperative pool by the rules every secret file is read by.
private func rereading(_ path: String?) -> @Sendable () async -> Redacted? {
  {
    guard let path else { return nil }
    return await onThread { (try? SecretFiles.disk.read(path)).map { Redacted($0.text) } }
  }
}

extension Logger {
  /// Who runs the agent can see what somebody with a key of the API changed, and when.
  func tell(_ changes: [CheckChange]) {
    for change in changes.prefix(50) {
      notice(
        "check of the API changed",
        metadata: ["check": "\(change.name)", "id": "\(change.id)", "change": "\(change.text)"])
    }
    if changes.count > 50 { notice("\(changes.count - 50) more checks of the API changed") }
  }
}

/// Tells the log when delivery or the check list begins to fail, and when it works again: once a change of
/// words, not once a try.
actor ConnectionWatch {
  private let link: QuartzLink
  private let log: Logger
  private var delivery: String?
  private var list: String?
  private var reach: String?
  private var told: Set<Notice> = []

  private struct Notice: Hashable {
    let what: String
    let check: String
    let why: String
  }

  static let every: Duration = .seconds(5)

  init(_ link: QuartzLink, log: Logger) {
    self.link = link
    self.log = log
  }

  func run() async {
    repeat { await look() } while (try? await Task.sleep(for: Self.every)) != nil
  }

  private func look() async {
    if let uploader = link.uploader {
      let trouble = await uploader.status().tally.trouble
      tell("delivery", trouble?.message, trouble?.hint, before: &delivery)
    }
    if let puller = link.puller {
      let status = puller.status
      tell("the check list", status.trouble?.message ?? status.held, status.trouble?.hint, before: &list)
      let refused = status.refusedDestinations
      tell(
        "the reach of the check list",
        refused > 0
          ? "\(refused) checks are refused: the list asks for more places than this agent may go to" : nil,
        "look whether somebody scans through this agent; else raise limits.destinations", before: &reach)
      tellSkipped(status)
    }
  }

  private func tell(_ what: String, _ trouble: String?, _ hint: String?, before: inout String?) {
    defer { before = trouble }
    guard trouble != before else { return }
    if let trouble {
      var metadata: Logger.Metadata = ["problem": "\(trouble)"]
      if let hint { metadata["hint"] = "\(hint)" }
      log.error("\(what) is in trouble", metadata: metadata)
    } else {
      log.notice("\(what) works again")
    }
  }

  private func tellSkipped(_ status: PullStatus) {
    var lines: Set<Notice> = []
    for check in status.skipped {
      lines.insert(Notice(what: "check skipped", check: "\(check.name) (\(check.type))", why: check.reason))
    }
    for warning in status.warnings {
      lines.insert(Notice(what: "check changed", check: warning.name, why: warning.message))
    }
    for line in lines.subtracting(told).sorted(by: { $0.check < $1.check }) {
      log.warning("\(line.what)", metadata: ["check": "\(line.check)", "reason": "\(line.why)"])
    }
    told = lines
  }
}
