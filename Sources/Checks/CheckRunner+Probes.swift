// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

extension CheckRunner {
  /// With the agent's own probes: each keeps to the egress budget, and answers for each address where a check wants it.
  package init(
    engine: CurlEngine, reactor: Reactor, system: SystemResolver, finder: TargetFinder, userAgent: String,
    bench: JudgeBench = JudgeBench(), time: TimeSource = .system
  ) {
    let client = TLSClient(trust: engine.trust)
    self.init(
      http: HTTPProbe(
        engine: engine, reactor: reactor, finder: finder, userAgent: userAgent, bench: bench, time: time),
      tcp: TCPProbe(reactor: reactor, finder: finder, client: client, time: time),
      dns: DNSProbe(reactor: reactor, finder: finder, system: system, engine: engine, bench: bench),
      tls: TLSProbe(reactor: reactor, finder: finder, client: client, time: time),
      ping: PingProbe(reactor: reactor, finder: finder),
      time: time, fault: LocalPath.fault)
  }
}
