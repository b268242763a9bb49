// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Everything this room does for one agent: the list of checks in, the results out, each as far as it is set up.
package struct QuartzLink: Sendable {
  /// `nil` where `checks.pull` is false, or nothing is kept.
  package let puller: CheckListPuller?
  /// `nil` where `deliver.to` is off.
  package let uploader: Uploader?
  /// `nil` where `update_resources` is false.
  package let resources: ResourceUpdater?

  /// Parts of the rest of the agent that the link needs.
  package struct Outside: Sendable {
    /// The way to an origin, for a user agent.
    package typealias Exchange = @Sendable (_ base: HTTPURL) -> any HTTPExchanging

    package var exchange: Exchange
    /// The file of that name in the state directory, which holds the request budgets and the list of checks. `nil`
    /// where nothing is kept, which is for one command's few requests and never for a list of checks.
    package var kept: (@Sendable (_ name: String) -> any DurableBytes)?
    package var time: TimeSource
    package var queue: any DeliveryQueue
    /// The API key as its source has it now, asked after a 401; nil when it cannot be read.
    package var readKey: @Sendable () async -> Redacted?
    /// How the agent does, for the receiver's list of agents.
    package var report: @Sendable () async -> AgentReport
    /// Told each new list of checks.
    package var apply: @Sendable (PulledChecks) async -> Void
    /// `nil` where optional members of the answer are ignored.
    package var contact: ContactDesk?
    /// `nil` where the list is not shared.
    package var sharing: CheckListPuller.Sharing?
    /// `nil` where this agent writes the status of resources for itself alone.
    package var resources: ResourceUpdater.Sharing?

    package init(
      exchange: @escaping Exchange, time: TimeSource,
      queue: any DeliveryQueue, readKey: @escaping @Sendable () async -> Redacted?,
      report: @escaping @Sendable () async -> AgentReport = { AgentReport() },
      apply: @escaping @Sendable (PulledChecks) async -> Void
    ) {
      self.exchange = exchange
      self.time = time
      self.queue = queue
      self.readKey = readKey
      self.report = report
      self.apply = apply
    }

    func file(_ name: String) -> any DurableBytes { kept?(name) ?? ForgottenBytes() }
  }

  /// - Throws: `QuartzSetupError` for settings that cannot work.
  package init(
    _ settings: QuartzSettings, agent: Sender, rules: MappingRules, outside: Outside
  ) throws(QuartzSetupError) {
    let ground = Ground(
      agent: agent, time: SteadyTime(outside.time), outside: outside)
    let keys = KeyRing(settings.apiKey, reread: outside.readKey)
    let api = try Line(settings.url, key: "quartz.url", file: "requests-quartz", on: ground)
    var rules = rules
    rules.own.receivers = [settings.url.origin] + [settings.supabase?.url.origin].compactMap { $0 }
    if outside.kept != nil {
      puller = settings.checks.pull ? Self.puller(settings, keys, rules, api) : nil
      resources = settings.updateResources ? Self.resources(settings, keys, api) : nil
    } else {
      (puller, resources) = (nil, nil)
    }
    var machine = DeliveryMachine.Settings()
    machine.batch = settings.deliver.batch
    machine.every = settings.deliver.every
    switch settings.deliver.target {
    case .off: uploader = nil
    case .quartz:
      machine.heartbeat = .seconds(60)
      machine.carriesMaintenance = true
      machine.greets = outside.contact != nil
      let transport = QuartzTransport(
        settings, keys: keys, agent: agent, over: api.wire, report: outside.report, contact: outside.contact)
      var route = api.route(transport)
      route.contact = Self.contact(outside.contact, puller)
      uploader = Uploader(queue: outside.queue, route: route, settings: machine)
    case .supabase:
      guard let supabase = settings.supabase else {
        throw QuartzSetupError("quartz.deliver.to is supabase, but quartz.supabase is missing")
      }
      // The budget belongs to an origin: where both are one, so is the budget.
      let line =
        try supabase.url.origin == settings.url.origin
        ? api : Line(supabase.url, key: "quartz.supabase.url", file: "requests-supabase", on: ground)
      let transport = SupabaseTransport(supabase, withMessages: settings.deliver.messages, over: line.wire)
      uploader = Uploader(queue: outside.queue, route: line.route(transport), settings: machine)
    }
  }

  /// Adds the puller, which pulls when the list has another version.
  private static func contact(_ contact: ContactDesk?, _ puller: CheckListPuller?) -> ContactDesk? {
    guard var contact, let puller else { return contact }
    let (heard, say) = (contact.heard, contact.say)
    contact.heard = { words in
      if let version = words.listVersion { puller.heard(version) }
      heard(words)
    }
    contact.say = {
      var saying = say()
      saying.list = puller.versionInForce
      return saying
    }
    return contact
  }

  /// Parts that every connection of one agent shares.
  private struct Ground {
    let agent: Sender
    let time: SteadyTime
    let outside: Outside
  }

  /// One origin: its budget and the way there.
  private struct Line {
    let gate: RateGate
    let wire: Wire
    let ground: Ground
    let base: HTTPURL

    func route(_ transport: any ResultTransport) -> Uploader.Route {
      .init(
        transport, gate: gate, memory: ground.outside.file("delivery.json"),
        receiver: base.display)
    }

    init(_ base: HTTPURL, key: String, file: String, on ground: Ground) throws(QuartzSetupError) {
      guard base.mayCarrySecrets else {
        throw QuartzSetupError("\(key) must be an https url: a key is sent over it")
      }
      let outside = ground.outside
      let exchange = outside.exchange(base)
      self.ground = ground
      self.base = base
      self.gate = RateGate(time: ground.time, file: outside.file(file))
      self.wire = Wire(exchange: exchange, gate: gate)
    }
  }

  private static func puller(
    _ settings: QuartzSettings, _ keys: KeyRing, _ rules: MappingRules, _ line: Line
  ) -> CheckListPuller {
    let outside = line.ground.outside
    let client = APIClient(base: settings.url, keys: keys, over: line.wire, limit: rules.limit)
    let cache = CheckListCache(
      file: outside.file("checks.json"), base: settings.url,
      keepsSecrets: settings.checks.cacheCredentials)
    var parts = CheckListPuller.Parts(
      client: client, cache: cache, mapping: CheckMapping(rules), apply: outside.apply)
    parts.sharing = outside.sharing
    return CheckListPuller(
      parts, every: settings.checks.every, time: line.ground.time)
  }

  private static func resources(
    _ settings: QuartzSettings, _ keys: KeyRing, _ line: Line
  ) -> ResourceUpdater {
    ResourceUpdater(
      base: settings.url, keys: keys, over: line.wire, time: line.ground.time,
      file: line.ground.outside.file("resources.json"), sharing: line.ground.outside.resources)
  }
}

extension QuartzLink {
  /// Problems beside the failures of delivery itself.
  package func notices() async -> [Notice] {
    var notices = puller?.status.notices() ?? []
    if let uploader { notices += await uploader.status().notices }
    if let trouble = resources?.status.trouble {
      notices.append(
        .warning(.resources, "the status of resources is not written: \(trouble.what)", hint: trouble.hint))
    }
    return notices
  }
}

/// Why the settings of the `quartz` section cannot work, naming the key.
package struct QuartzSetupError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}
