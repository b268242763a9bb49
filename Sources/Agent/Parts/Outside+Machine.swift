// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Checks
import Groups
import Logging
import Monitoring
import Network
import QuartzAPI
import Scheduler
import Spool

extension ProbeEngine: Probing {
  package var executor: EventLoop? { loop }
  package var judging: JudgingFigures { bench.figures }
}

// The machine that the process runs on.
extension Outside {
  init(
    _ settings: Settings, _ engine: ProbeEngine, spool: ResultSpool, disk: StateDisk, starts: StartWatch,
    log: Logger
  ) throws {
    let boot = bootIdentity()
    (time, self.disk, self.spool, self.starts) = (engine.time, disk, spool, starts)
    self.boot = boot.isEmpty ? nil : boot
    history = HistoryFolder(on: disk, starts)
    wakes = try TimerWakeSource(time: engine.time, on: engine.loop)
    probes = engine
    tracer = { await engine.tracer(settings.trace, log) }
    let rules = OutboundRules.egress(settings.egress)
    sender = ChannelSender(engine.outbound, rules) { log.warning("\($0)") }
    let caller = ChannelSender(engine.outbound, rules)
    call = { await caller.call($0, timeout: $1) }
    exchange = engine.exchange
    stores = settings.group.map { GroupStores($0, settings, engine) }
    discover = DiscoveryKeeper.fetch(settings, engine)
    asked = { ProbeDesk($0, engine: engine, limit: $1, log: log) }
  }
}

extension GroupStores {
  /// In etcd.
  fileprivate init(_ group: GroupSettings, _ settings: Settings, _ engine: ProbeEngine) {
    // One for all that the agent has in the store: one token, one watch, one choice of an endpoint.
    let client = EtcdClient(group, engine)
    func open(_ folder: EtcdIncidents.Folder) -> EtcdIncidents {
      EtcdIncidents(client: client, prefix: group.prefix, group: group.name, folder)
    }
    members = EtcdStore(
      client: client, keys: EtcdKeys(prefix: group.prefix, group: group.name), name: settings.agent.name)
    (incidents, states) = (open(.open), open(.state))
    let cards = EtcdPlaces(client: client, prefix: group.prefix)
    let shares = ShareClient(
      outbound: engine.outbound, rules: .egress(settings.egress), token: group.token)
    places = Places(
      votes: EtcdQuorum(client: client, prefix: group.prefix), members: { await cards.members(of: $0) },
      fetch: { await shares.share($0, $1, $2) })
  }
}
