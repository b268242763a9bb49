// SPDX-License-Identifier: MIT

import Glibc
import Monitoring

/// Why this process may not ping, and the line that changes it; nil when it may. Asked at start: a ping check that
/// can never run is an error of the set-up, not of its target.
package func pingPermission() -> String? {
  if Descriptor(openSocket(.icmp, family: AF_INET)) != nil { return nil }
  switch errno {
  case EACCES, EPERM: return pingForbidden
  case let code: return "cannot open a ping socket: \(errorText(code).lowercased())"
  }
}

extension MonitoringCheck {
  /// Whether its probes need that permission: connections (`method: tcp`) need none.
  package var sendsEchoes: Bool {
    if case .ping(let settings) = kind { settings.method == .icmp } else { false }
  }
}

/// The kernel's default range, "1 0", is empty and keeps even root out.
let pingForbidden =
  "the kernel forbids ping to this process: set net.ipv4.ping_group_range = 0 2147483647 with sysctl"

extension Verdict {
  /// A ping that the network or the kernel cut short.
  init(pinging report: FlowReport, code: Int32, host: String, source: IPAddress?) {
    switch code {
    case EACCES where report.connected == nil, EPERM where report.connected == nil:
      self.init(.localFault, phase: .prepare, message: pingForbidden)
    default: self.init(errno: code, phase: .connect, peer: host, source: source)
    }
  }
}
