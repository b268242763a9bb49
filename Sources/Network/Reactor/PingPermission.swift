// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// How this process may ping.
package enum PingWay: Hashable, Sendable {
  /// By sockets that the kernel opens to the groups of net.ipv4.ping_group_range.
  case unprivileged
  /// Only by raw sockets, for which it has CAP_NET_RAW.
  case raw
  /// Not at all: why, and the line that changes it.
  case closed(String)

  /// Words for the case that everything is fine.
  package var words: String {
    switch self {
    case .unprivileged: "ICMP echo is allowed"
    case .raw:
      "ICMP echo goes over raw sockets (CAP_NET_RAW): net.ipv4.ping_group_range excludes this process"
    case .closed(let why): why
    }
  }
}

/// Asked at start: a ping check that can never run is an error of the set-up, not of its target.
package func pingWay() -> PingWay {
  if Descriptor(openSocket(.icmp, family: AF_INET)) != nil { return .unprivileged }
  let code = errno
  guard code == EACCES || code == EPERM else {
    return .closed("cannot open a ping socket: \(errorText(code).lowercased())")
  }
  return Descriptor(openSocket(.rawICMP, family: AF_INET)) != nil ? .raw : .closed(pingForbidden)
}

extension MonitoringCheck {
  /// Whether its probes need that permission: connections (`method: tcp`) need none.
  package var sendsEchoes: Bool {
    if case .ping(let settings) = kind { settings.method == .icmp } else { false }
  }
}

/// The kernel's default range, "1 0", is empty and keeps even root out.
package let pingForbidden =
  "the kernel forbids ping to this process: set net.ipv4.ping_group_range = 0 2147483647 with sysctl"

extension FlowReport {
  /// The kernel does not let this process have the socket. A route of type prohibit refuses what it sends by the same
  /// errno.
  package var isForbidden: Bool { !isOpened && (end == .failed(EACCES) || end == .failed(EPERM)) }
}

extension Verdict {
  /// A ping that the network or the kernel cut short.
  package init(pinging report: FlowReport, code: Int32, host: String, source: IPAddress?) {
    if report.isForbidden {
      self.init(.localFault, phase: .prepare, message: pingForbidden)
    } else {
      self.init(errno: code, phase: .connect, peer: host, source: source)
    }
  }
}
