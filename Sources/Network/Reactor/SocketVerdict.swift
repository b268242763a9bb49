// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

extension Verdict {
  /// Meaning of a failed system call: about the target, or about this machine. The errno decides, never the library's
  /// summary of it: a missing descriptor or route must not look like an outage of the target.
  ///
  /// - Parameter source: the check's `source_address`, where it has one.
  package init(
    errno code: Int32, phase: Phase, peer: some CustomStringConvertible, source: IPAddress? = nil
  ) {
    let words = ConnectionWords.failed(code)
    switch code {
    case ECONNREFUSED: self.init(.connectRefused, phase: phase, message: "\(peer): \(words)")
    case ECONNRESET, EPIPE, ECONNABORTED:
      self.init(.connectionReset, phase: phase, message: "\(peer): \(words)")
    case ETIMEDOUT: self.init(.connectTimeout, phase: phase, message: "\(peer): \(words)")
    case EHOSTUNREACH, EHOSTDOWN, ENONET, ENOPROTOOPT, EPROTO, ENOANO:
      self.init(.connectUnreachable, phase: phase, message: "\(peer): \(words)")
    case EMFILE, ENFILE:
      self.init(
        .localFault, phase: .prepare, message: "no file descriptor left on this machine: raise LimitNOFILE")
    case ENETUNREACH, ENETDOWN:
      self.init(.localFault, phase: phase, message: "\(NarrowCause.missingRoute.rawValue) to \(peer)")
    case EADDRNOTAVAIL where source != nil:
      let words = source.map { "source_address \($0) is no address of this machine" }
      self.init(.localFault, phase: .prepare, message: words)
    case EADDRNOTAVAIL:
      self.init(.localFault, phase: phase, message: "no free local port or address to reach \(peer) from")
    default:
      self.init(.localFault, phase: phase, message: "this machine could not reach \(peer): \(words)")
    }
  }

  /// The time ran out because this machine was busy, not the target.
  package static func ownLateness(_ report: FlowReport, phase: Phase) -> Verdict {
    let late = Int(report.lateness.milliseconds)
    return Verdict(
      .localFault, phase: phase, message: "this machine was busy: its network thread was \(late) ms late")
  }
}
