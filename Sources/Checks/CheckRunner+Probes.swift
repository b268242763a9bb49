// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

extension CheckRunner {
  /// With the agent's own probes: each keeps to the egress budget, and answers for each address where a check wants it.
  ///
  /// - Parameters:
  ///   - reactor: of connects, questions and echoes, which are short.
  ///   - talks: of handshakes and dialogs, which may take the processor for milliseconds; `nil` for the same.
  ///   - heartbeats: reports of jobs; `nil` where this process takes none.
  package init(
    engine: CurlEngine, reactor: Reactor, talks: Reactor? = nil, system: SystemResolver, finder: TargetFinder,
    userAgent: String,
    bench: JudgeBench = JudgeBench(), heartbeats: HeartbeatDesk? = nil, time: TimeSource = .system
  ) {
    let client = TLSClient(trust: engine.trust)
    self.init(
      http: HTTPProbe(
        engine: engine, reactor: reactor, finder: finder, userAgent: userAgent, bench: bench, time: time),
      tcp: TCPProbe(reactor: reactor, talks: talks, finder: finder, client: client, time: time),
      dns: DNSProbe(reactor: reactor, finder: finder, system: system, engine: engine, bench: bench),
      tls: TLSProbe(reactor: talks ?? reactor, finder: finder, client: client, time: time),
      ping: PingProbe(reactor: reactor, finder: finder), heartbeat: HeartbeatProbe(desk: heartbeats),
      time: time, fault: LocalPath.fault, refusal: LocalPath.refusal, absence: LocalPath.absence)
  }
}
