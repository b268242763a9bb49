// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Meaning of an answer to a packet of a trace, for its path. Pure.
enum AnswerMeaning: Hashable, Sendable {
  /// A router, which would have passed it on with a higher TTL.
  case passesOn
  /// A router as well, in the target's name: an address is rewritten on the way (NAT), also of who speaks of it.
  case passesRewritten
  /// The target, in these words.
  case target(String)
  /// It goes no further: why, as RFC 792, RFC 1812 5.2.7 and RFC 4443 3.1 have it.
  case refusal(String)
  /// The next link takes packets of so many bytes only; 0: the router is older than RFC 1191 and does not say.
  case tooBig(Int)

  /// `nil` where it says nothing of the path, as a redirect.
  ///
  /// - Parameter isTarget: whether the target sent it.
  init?(_ failure: PacketFailure, version: Int, isTarget: Bool) {
    guard failure.isFromNetwork else { return nil }
    switch (version, failure.type) {
    case (4, 11), (6, 3):
      // Code 1 is the time in which fragments had to be put together: it came to the end of its way.
      guard failure.icmpCode == 0 else { return nil }
      self = isTarget ? .passesRewritten : .passesOn
    case (4, 3): self = Self.unreachable4(failure, isTarget)
    case (6, 1): self = Self.unreachable6(failure, isTarget)
    case (6, 2): self = .tooBig(Int(clamping: failure.info))
    case (4, 12), (6, 4): self = .refusal("parameter problem")
    default: return nil
    }
  }

  private static func unreachable4(_ failure: PacketFailure, _ isTarget: Bool) -> AnswerMeaning {
    switch failure.icmpCode {
    case 0: .refusal("network unreachable")
    case 1: .refusal("host unreachable")
    case 2: isTarget ? .target("protocol unreachable") : .refusal("protocol unreachable")
    case 3: isTarget ? .target("port unreachable") : .refusal("port unreachable")
    case 4: .tooBig(Int(clamping: failure.info))
    case 5: .refusal("source route failed")
    case 6: .refusal("network unknown")
    case 7: .refusal("host unknown")
    case 8: .refusal("source host isolated")
    case 9: .refusal("network administratively prohibited")
    case 10: .refusal("host administratively prohibited")
    case 11: .refusal("network unreachable for this type of service")
    case 12: .refusal("host unreachable for this type of service")
    case 13: .refusal("administratively prohibited")
    case 14: .refusal("host precedence violation")
    case 15: .refusal("precedence cutoff in effect")
    default: .refusal("unreachable, code \(failure.icmpCode)")
    }
  }

  private static func unreachable6(_ failure: PacketFailure, _ isTarget: Bool) -> AnswerMeaning {
    switch failure.icmpCode {
    case 0: .refusal("no route")
    case 1: .refusal("administratively prohibited")
    case 2: .refusal("beyond the scope of the source address")
    case 3: .refusal("host unreachable")
    case 4: isTarget ? .target("port unreachable") : .refusal("port unreachable")
    case 5: .refusal("source address failed ingress or egress policy")
    case 6: .refusal("route rejected")
    case 7: .refusal("error in the source routing header")
    default: .refusal("unreachable, code \(failure.icmpCode)")
    }
  }

  /// It would go further with a higher TTL.
  var isRouter: Bool { self == .passesOn || self == .passesRewritten }

  /// In place of "time exceeded"; nil: that it was.
  var words: String? {
    switch self {
    case .passesOn: nil
    case .passesRewritten: "passed on in the target's name (NAT)"
    case .target(let words), .refusal(let words): words
    case .tooBig(let size): size > 0 ? "packet too big, next link \(size) bytes" : "packet too big"
    }
  }
}
