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
    func whole(_ probe: some Probe) -> any Probe {
      PacedProbe(EachAddressProbe(OwnPathProbe(probe), finder: finder), time: time)
    }
    let client = TLSClient(trust: engine.trust)
    self.init(
      http: whole(
        HTTPProbe(
          engine: engine, reactor: reactor, finder: finder, userAgent: userAgent, bench: bench, time: time)),
      tcp: whole(TCPProbe(reactor: reactor, finder: finder, client: client, time: time)),
      dns: whole(DNSProbe(reactor: reactor, finder: finder, system: system, engine: engine, bench: bench)),
      tls: whole(TLSProbe(reactor: reactor, finder: finder, client: client, time: time)),
      ping: whole(PingProbe(reactor: reactor, finder: finder)), time: time)
  }
}
