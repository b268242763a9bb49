// SPDX-License-Identifier: MIT

import AgentConfig
import Checks
import Curl
import Logging
import Monitoring
import QuartzAPI
import Spool

/// Everything between this agent and Quartz: one budget of requests, the uploader, the puller.
struct QuartzLink: Sendable {
  let uploader: Uploader<ContinuousClock>?
  let puller: CheckPuller?

  /// What a link is made of besides its settings.
  struct Surroundings {
    var engine: ProbeEngine
    var spool: ResultSpool
    var identity: QuartzAPI.AgentIdentity
    var log: Logger
  }

  init(_ quartz: QuartzSettings, _ settings: Settings, _ around: Surroundings) throws(HTTPURL.Invalid) {
    let time = SteadyTime(clock: ContinuousClock(), wallNow: .now())
    let folder = settings.agent.stateDir
    let exchange = around.engine.exchange(to: quartz.url)
    let keys = KeyRing(quartz.apiKey, reread: rereading(quartz.apiKeyFile))
    let gate = RateGate(time: time, file: StateFile(path: folder + "/requests", maxBytes: 1 << 20))
    let wire = Wire(exchange: exchange, gate: gate)
    if quartz.checks.pull {
      let client = APIClient(base: quartz.url, keys: keys, over: wire) { await gate.observe($0) }
      let cache = CheckListCache(
        file: StateFile(path: folder + "/checks.json"), base: quartz.url,
        keepsSecrets: quartz.checks.cacheCredentials)
      puller = CheckPuller(
        client: client, cache: cache, rules: MappingRules(quartz.checks, settings.limits),
        every: quartz.checks.every, log: around.log)
    } else {
      puller = nil
    }
    uploader = try Self.uploader(quartz, keys, wire, gate, folder: folder, around)
  }
}

extension MappingRules {
  fileprivate init(_ pull: PullSettings, _ limits: LimitSettings) {
    self.init(pull)
    limit = limits.remoteChecks
    minimumInterval = limits.remoteIntervalMin
  }
}

extension QuartzLink {
  private static func uploader(
    _ quartz: QuartzSettings, _ keys: KeyRing, _ wire: Wire, _ gate: RateGate<ContinuousClock>,
    folder: String,
    _ around: Surroundings
  ) throws(HTTPURL.Invalid) -> Uploader<ContinuousClock>? {
    var machine = DeliveryMachine.Settings()
    machine.batch = quartz.deliver.batch
    machine.every = quartz.deliver.every
    let transport: any ResultTransport
    switch quartz.deliver.target {
    case .off: return nil
    case .quartz:
      machine.heartbeat = .seconds(60)
      machine.carriesMaintenance = true
      transport = try QuartzTransport(quartz, keys: keys, agent: around.identity, over: wire)
      return Uploader(queue: around.spool, transport: transport, gate: gate, settings: machine)
    case .supabase:
      guard let supabase = quartz.supabase else { return nil }
      // Another origin, another budget.
      let time = gate.time
      let own = RateGate(time: time, file: StateFile(path: folder + "/requests-supabase", maxBytes: 1 << 20))
      let ownWire = Wire(exchange: around.engine.exchange(to: supabase.url), gate: own)
      transport = try SupabaseTransport(supabase, withMessages: quartz.deliver.messages, over: ownWire)
      return Uploader(queue: around.spool, transport: transport, gate: own, settings: machine)
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

extension ProbeEngine {
  /// Requests to the API: over the engine and the resolver that the probes use.
  fileprivate func exchange(to base: HTTPURL) -> CurlExchange {
    let resolver = resolver
    return CurlExchange(to: base, userAgent: userAgent, engine: curl) { host, _ in
      do {
        let found = try await resolver.resolve(host, ip: .any, deadline: .now + .seconds(10))
        if let failure = found.failure {
          return .failure(ResolveFailure("\(host) cannot be resolved: \(failure.reason.rawValue)"))
        }
        return .success(found.addresses.map(\.description))
      } catch { return .failure(ResolveFailure("cancelled")) }
    }
  }
}
