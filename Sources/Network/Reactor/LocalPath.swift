// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// This machine's own part of the path to an address, as the kernel knows it (rtnetlink(7)): shows whether a missing
/// answer is this machine's fault.
package enum LocalPath {
  /// Reasons that a dead link or gateway of this machine can cause.
  package static let silence: Set<Reason> = [
    .connectTimeout, .connectUnreachable, .dnsTimeout, .pingTimeout,
  ]

  /// This machine's own cause of a failure to reach an address, for people. `nil` where none is known.
  package typealias Cause = @Sendable (_ failure: Reason, _ address: IPAddress) -> String?

  package static func cause(of failure: Reason, to address: IPAddress) -> String? {
    guard silence.contains(failure) else { return nil }
    return fault(to: address) ?? (failure == .connectUnreachable ? refusal(of: address) : nil)
  }

  /// `nil` while nothing on this machine's side is known to be broken; else what is, for people.
  package static func fault(to address: IPAddress) -> String? {
    guard let route = route(to: address), let link = route.link else { return nil }
    if isWithoutCarrier(link) { return "the interface of this machine towards \(address) has no carrier" }
    guard let gateway = route.gateway, isSilent(gateway, on: link) else { return nil }
    return "the gateway of this machine towards \(address), \(gateway), does not answer"
  }

  /// For people: that this machine's own routing table leads nowhere. It is asked without the rules that a source
  /// address may have, so it says nothing of an address that packets went to.
  package static func refusal(of address: IPAddress) -> String? {
    if case .refused(let words) = lookUp(address) { words } else { nil }
  }

  /// For people: that the address is on a network of this machine, and no host there has it. `nil` where there is a
  /// router on the path, or a host has it.
  package static func absence(of address: IPAddress) -> String? {
    guard let route = route(to: address), route.gateway == nil, let link = route.link,
      isSilent(address, on: link)
    else { return nil }
    return "\(address) is \(NarrowCause.absentNeighbour.rawValue), and no host there answers for it"
  }

  struct Route: Hashable {
    /// `nil` where the address is on the link itself.
    var gateway: IPAddress?
    /// The interface's number.
    var link: UInt32?
    /// The address is one of this machine itself.
    var isOwn = false
  }

  /// The routing table's answer for an address.
  private enum Lookup {
    case route(Route)
    /// It leads nowhere, on purpose or for want of a route; for people.
    case refused(String)
    /// The kernel does not say.
    case unknown
  }

  package static func isOwn(_ address: IPAddress) -> Bool { route(to: address)?.isOwn ?? false }

  static func route(to address: IPAddress) -> Route? {
    if case .route(let route) = lookUp(address) { route } else { nil }
  }

  private static func lookUp(_ address: IPAddress) -> Lookup {
    let bytes = address.bytes
    // struct rtmsg: the family, the length of the destination in bits, the rest zero.
    let header = [family(of: address), UInt8(bytes.count * 8)] + [UInt8](repeating: 0, count: 10)
    let answer: ArraySlice<UInt8>
    switch askKernel(Message.getRoute, header + attribute(1, bytes), expecting: Message.newRoute) {
    case .none: return .unknown
    case .failure(let error): return words(for: error.code, address).map(Lookup.refused) ?? .unknown
    case .success(let found): answer = found
    }
    // The type of a route that leads nowhere: RTN_BLACKHOLE, RTN_UNREACHABLE, RTN_PROHIBIT of linux/rtnetlink.h.
    let kinds: [UInt8: Int32] = [6: EINVAL, 7: EHOSTUNREACH, 8: EACCES]
    if let code = answer.dropFirst(7).first.flatMap({ kinds[$0] }), let words = words(for: code, address) {
      return .refused(words)
    }
    var route = Route()
    // RTN_LOCAL of linux/rtnetlink.h.
    route.isOwn = answer.dropFirst(7).first == 2
    for (kind, value) in attributes(answer.dropFirst(12)) {
      switch kind {
      // RTA_OIF, RTA_GATEWAY of linux/rtnetlink.h.
      case 4: route.link = word(value)
      case 5: route.gateway = IPAddress(bytes: value)
      default: break
      }
    }
    return .route(route)
  }

  private static func words(for code: Int32, _ address: IPAddress) -> String? {
    switch code {
    case ENETUNREACH: "\(NarrowCause.missingRoute.rawValue) to \(address)"
    case EHOSTUNREACH: "\(NarrowCause.refusingRoute.rawValue) calls \(address) unreachable"
    case EACCES: "\(NarrowCause.refusingRoute.rawValue) prohibits \(address)"
    case EINVAL: "\(NarrowCause.refusingRoute.rawValue) drops what goes to \(address) (blackhole)"
    default: nil
    }
  }

  /// The neighbour was asked for its hardware address and did not say it (NUD_INCOMPLETE, NUD_FAILED).
  private static func isSilent(_ neighbour: IPAddress, on link: UInt32) -> Bool {
    // struct ndmsg: family, padding, interface, state, flags, type.
    let header = [family(of: neighbour), 0, 0, 0] + wordBytes(link) + [0, 0, 0, 0]
    let question = header + attribute(1, neighbour.bytes)
    guard let answer = ask(Message.getNeighbour, question, expecting: Message.newNeighbour),
      answer.count >= 10
    else { return false }
    let state = answer[answer.startIndex + 8]
    return state == 0x01 || state == 0x20
  }

  /// IFF_LOWER_UP is missing. An interface that cannot be asked for is taken for sound.
  private static func isWithoutCarrier(_ link: UInt32) -> Bool {
    // struct ifinfomsg: family, padding, type, index, flags, change.
    let header = [0, 0, 0, 0] + wordBytes(link) + [UInt8](repeating: 0, count: 8)
    guard let answer = ask(Message.getLink, header, expecting: Message.newLink), answer.count >= 16 else {
      return false
    }
    return word(answer.dropFirst(8).prefix(4)) & 0x10000 == 0
  }
}

/// Types of messages in linux/rtnetlink.h.
private enum Message {
  static let newLink: UInt16 = 16
  static let getLink: UInt16 = 18
  static let newRoute: UInt16 = 24
  static let getRoute: UInt16 = 26
  static let newNeighbour: UInt16 = 28
  static let getNeighbour: UInt16 = 30
}

/// The kernel says no.
private struct KernelRefusal: Error {
  /// An errno.
  var code: Int32
}

private func ask(_ type: UInt16, _ payload: [UInt8], expecting wanted: UInt16) -> ArraySlice<UInt8>? {
  try? askKernel(type, payload, expecting: wanted)?.get()
}

/// One question to the kernel and its answer without the header, which comes at once. `nil` where nothing came.
private func askKernel(
  _ type: UInt16, _ payload: [UInt8], expecting wanted: UInt16
) -> Result<ArraySlice<UInt8>, KernelRefusal>? {
  let channel = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard channel >= 0 else { return nil }
  defer { close(channel) }
  // struct nlmsghdr: length, type, NLM_F_REQUEST, sequence, port.
  var message = wordBytes(UInt32(16 + payload.count)) + halfBytes(type) + halfBytes(1)
  message += wordBytes(1) + wordBytes(0)
  message += payload
  guard send(channel, message, message.count, 0) == message.count else { return nil }
  var answer = [UInt8](repeating: 0, count: 8192)
  let count = recv(channel, &answer, answer.count, Int32(MSG_DONTWAIT))
  guard count >= 16 else { return nil }
  // NLMSG_ERROR: struct nlmsgerr begins with the errno, negated.
  if half(answer[4..<6]) == 2, count >= 20 {
    return .failure(KernelRefusal(code: 0 &- Int32(bitPattern: word(answer[16..<20]))))
  }
  guard half(answer[4..<6]) == wanted else { return nil }
  let length = min(Int(word(answer[0..<4])), count)
  return length >= 16 ? .success(answer[16..<length]) : nil
}

private func family(of address: IPAddress) -> UInt8 {
  UInt8(address.version == 4 ? AF_INET : AF_INET6)
}

/// struct rtattr, padded to four bytes.
private func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
  halfBytes(UInt16(4 + value.count)) + halfBytes(kind) + value
    + [UInt8](repeating: 0, count: -value.count & 3)
}

private func attributes(_ bytes: ArraySlice<UInt8>) -> [(kind: UInt16, value: ArraySlice<UInt8>)] {
  var found: [(UInt16, ArraySlice<UInt8>)] = []
  var rest = bytes
  while rest.count >= 4 {
    let length = Int(half(rest.prefix(2)))
    guard length >= 4, length <= rest.count else { break }
    found.append((half(rest.dropFirst(2).prefix(2)), rest.dropFirst(4).prefix(length - 4)))
    rest = rest.dropFirst((length + 3) & ~3)
  }
  return found
}

// Netlink speaks in the machine's own order of bytes.

private func wordBytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

private func halfBytes(_ number: UInt16) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

private func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  guard bytes.count >= 4 else { return 0 }
  return Array(bytes).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
}

private func half(_ bytes: ArraySlice<UInt8>) -> UInt16 {
  guard bytes.count >= 2 else { return 0 }
  return Array(bytes).withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) }
}
