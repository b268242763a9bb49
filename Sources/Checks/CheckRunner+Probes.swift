// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

extension CheckRunner {
  /// With the agent's own probes: each keeps to the egress budget, and answers for each address where a check wants it.
  package init(
    engine: CurlEngine, reactor: Reactor, system: SystemResolver, finder: TargetFinder, userAgent: String,
    bench: JudgeBench = JudgeBench()
  ) {
    func whole(_ probe: some Probe) -> any Probe {
      PacedProbe(EachAddressProbe(OwnPathProbe(probe), finder: finder))
    }
    let client = TLSClient(trust: engine.trust)
    self.init(
      http: whole(
        HTTPProbe(engine: engine, reactor: reactor, finder: finder, userAgent: userAgent, bench: bench)),
      tcp: whole(TCPProbe(reactor: reactor, finder: finder, client: client)),
      dns: whole(DNSProbe(reactor: reactor, finder: finder, system: system, engine: engine, bench: bench)),
      tls: whole(TLSProbe(reactor: reactor, finder: finder, client: client)),
      ping: whole(PingProbe(reactor: reactor, finder: finder)))
  }
}
