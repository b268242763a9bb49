// SPDX-License-Identifier: MIT

import Basics

/// The way to a target, router by router, as one look at it showed.
///
/// It is made after a verdict and never changes it. Nothing in it was dialled but the target itself: routers are known by
/// what they sent back (RFC 792, RFC 4443).
package struct RouteTrace: Hashable, Sendable {
  /// Name of the target, as the check or the command line has it.
  package var host: String
  /// The address that packets went to; port 0 with `icmp`.
  package var target: SocketAddress
  package var startedAt: Timestamp
  package var elapsed: Duration
  package var method: TraceMethod
  /// Why this method and not another, in words for people.
  package var why: String
  /// Ways tried at once, each with constant ports, so that a router which balances flows sends all packets of one flow
  /// the same way (Paris traceroute).
  package var flows: Int
  /// From the first router on, in order, those that said nothing included; without the target's silence behind the last
  /// answer beyond three.
  package var hops: [TraceHop]
  package var end: TraceEnd
  /// The largest packet, headers included, that went the whole way unbroken; nil: not found out.
  package var mtu: Int?
  /// Routers that reported a smaller MTU of their next link (RFC 1191, RFC 8201), in order.
  package var narrowings: [TraceNarrowing]

  package init(
    host: String, target: SocketAddress, startedAt: Timestamp, elapsed: Duration = .zero, method: TraceMethod,
    why: String, flows: Int, hops: [TraceHop] = [], end: TraceEnd, mtu: Int? = nil,
    narrowings: [TraceNarrowing] = []
  ) {
    (self.host, self.target, self.startedAt, self.elapsed) = (host, target, startedAt, elapsed)
    (self.method, self.why, self.flows) = (method, why, flows)
    (self.hops, self.end, self.mtu, self.narrowings) = (hops, end, mtu, narrowings)
  }
}

/// Kind of packets that were sent.
package enum TraceMethod: String, CaseIterable, Hashable, Sendable {
  /// SYNs to the service's own port.
  case tcp
  /// Datagrams.
  case udp
  /// Echo requests.
  case icmp
}

/// How the way ended.
package enum TraceEnd: Hashable, Sendable {
  /// The target itself answered, with this: "accepted", "refused", "reset", "echo reply", "port unreachable".
  case reached(String)
  /// A device on the path refused: in which words (RFC 792, RFC 1812 5.2.7, RFC 4443), and its address, where the
  /// kernel reported one.
  case refused(by: IPAddress?, ttl: Int, says: String)
  /// No answer from behind this TTL; 0 for no answer at all.
  case silent(after: Int)
  /// The same routers again and again from this TTL on.
  case loop(from: Int)
  /// This machine could not ask: why.
  case fault(String)
}

/// One TTL (hop limit) and who answered to it.
package struct TraceHop: Hashable, Sendable {
  /// From 1.
  package var ttl: Int
  /// Packets sent with it.
  package var sent: Int
  /// Of each address that answered, the one with most answers first; empty for no answer.
  package var answers: [TraceAnswer]
  /// Kind of packets that were sent, where that is not the trace's own method: it got no answer here.
  package var method: TraceMethod?

  package init(ttl: Int, sent: Int = 0, answers: [TraceAnswer] = [], method: TraceMethod? = nil) {
    (self.ttl, self.sent, self.answers, self.method) = (ttl, sent, answers, method)
  }

  package var received: Int { answers.reduce(0) { $0 + $1.received } }
  /// Share of packets without an answer in percent, 0 to 100. Routers limit how often they answer (RFC 1812 4.3.2.8): a
  /// hop's own loss says nothing where a later hop has none.
  package var loss: Double { sent == 0 ? 0 : Double(max(0, sent - received)) * 100 / Double(sent) }
}

/// Answers of one address at one TTL.
package struct TraceAnswer: Hashable, Sendable {
  package var address: IPAddress
  /// By reverse DNS; nil: not asked, or none.
  package var name: String?
  /// From the local file of networks; nil: none given, or not in it.
  package var network: String?
  package var received: Int
  package var best: Duration
  package var average: Duration
  package var worst: Duration
  /// TTL of its answer as it came back, which tells a way back of another length; nil: unknown.
  package var replyTTL: Int?
  /// The numbers of the flows that met it, from 0.
  package var flows: [Int]
  /// Label stack entries it quoted (RFC 4950), outermost first; empty: none.
  package var labels: [MPLSLabel]
  /// In place of "time exceeded": what else it said; nil where it only passes on.
  package var says: String?

  package init(
    address: IPAddress, received: Int, best: Duration, average: Duration, worst: Duration, flows: [Int],
    name: String? = nil, network: String? = nil, replyTTL: Int? = nil, labels: [MPLSLabel] = [],
    says: String? = nil
  ) {
    (self.address, self.received, self.flows) = (address, received, flows)
    (self.best, self.average, self.worst) = (best, average, worst)
    (self.name, self.network, self.replyTTL, self.labels, self.says) = (name, network, replyTTL, labels, says)
  }
}

/// An entry of an MPLS label stack (RFC 3032 2.1).
package struct MPLSLabel: Hashable, Sendable {
  /// 20 bits.
  package var label: Int
  package var ttl: Int

  package init(label: Int, ttl: Int) { (self.label, self.ttl) = (label, ttl) }
}

/// A link that takes smaller packets than those before it.
package struct TraceNarrowing: Hashable, Sendable {
  /// The TTL of the router that said so, in front of that link; `nil` when it is not among the hops.
  package var ttl: Int?
  package var by: IPAddress?
  /// Bytes, headers included.
  package var mtu: Int
  /// No router reported it: larger packets vanish (a black hole, RFC 2923), and the size was found by trying. `by` is
  /// then the last router before the place where they vanish.
  package var isSilent: Bool

  package init(ttl: Int?, by: IPAddress?, mtu: Int, isSilent: Bool = false) {
    (self.ttl, self.by, self.mtu, self.isSilent) = (ttl, by, mtu, isSilent)
  }
}
