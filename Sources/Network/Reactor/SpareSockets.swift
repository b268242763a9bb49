// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// UDP sockets that have served one flow and wait for the next: opening, watching and closing one for every query is
/// more work for the kernel than the query itself.
///
/// A socket whose connection was dissolved (`AF_UNSPEC`, connect(2)) has lost its port as well, and the next `connect`
/// draws another at random, as for a socket that is new: an attacker has to guess as much as before (RFC 5452, section
/// 4.5). Nothing that came for the last flow reaches the next, as it is read before. Used on the reactor's thread.
struct SpareSockets {
  /// Of one family; more are closed.
  private static let limit = 128

  /// Sockets that were lent, by flow. A descriptor that was closed since may still be in here.
  private var borrowers: [Int32: UInt64] = [:]
  /// The kernel's number for the next datagram of each; see `Departures`.
  private var departures: [Int32: UInt32] = [:]
  private var v4: [Int32] = []
  private var v6: [Int32] = []
  /// `nil` where it was not tried yet. False where a kernel keeps the port: then there are no spares.
  private var losesPort: Bool?

  /// The id of a lent descriptor in epoll; the ids of flows are far smaller.
  static func tag(_ number: Int32) -> UInt64 { 1 << 55 | UInt64(number) }

  /// Whether epoll knows a socket of this kind by it.
  static func isTag(_ key: UInt64) -> Bool { key >> 55 == 1 }

  /// The flow that has the descriptor with this tag; nil: none, or it is no tag.
  func borrower(_ tag: UInt64) -> UInt64? {
    Self.isTag(tag) ? borrowers[Int32(truncatingIfNeeded: tag)] : nil
  }

  /// A socket that is watched for input already; nil: open one.
  mutating func take(_ family: Int32) -> Int32? { family == AF_INET ? v4.popLast() : v6.popLast() }

  mutating func lend(_ number: Int32, to flow: UInt64) { borrowers[number] = flow }

  /// A socket that is new.
  ///
  /// - Parameter isStamped: its datagrams are numbered, from 0 on.
  mutating func add(_ number: Int32, isStamped: Bool) { departures[number] = isStamped ? 0 : nil }

  /// The number that its next datagram will have; `nil` when they have none.
  func nextDeparture(of number: Int32) -> UInt32? { departures[number] }

  /// A stamp came late, when the socket was free again. As long as it is there, epoll reports the socket.
  func emptyErrors(_ tag: UInt64) {
    let number = Int32(truncatingIfNeeded: tag)
    var (data, control) = ([UInt8](repeating: 0, count: 64), [UInt8](repeating: 0, count: 64))
    for _ in 0..<16 where readPacket(number, &data, &control, ofErrors: true).count < 0 { return }
  }

  /// Keeps a watched socket, or closes it.
  ///
  /// - Parameter nextDeparture: `nil` where it is not known. Where its datagrams are numbered, it is of no more use
  ///   then.
  mutating func giveBack(_ number: Int32, _ family: Int32, nextDeparture: UInt32?) {
    borrowers[number] = nil
    let isSure = nextDeparture != nil || departures[number] == nil
    departures[number] = nextDeparture
    let count = family == AF_INET ? v4.count : v6.count
    guard isSure, losesPort != false, count < Self.limit, dissolveConnection(number), isEmpty(number),
      isWithoutPort(number)
    else {
      _ = close(number)
      return
    }
    if family == AF_INET { v4.append(number) } else { v6.append(number) }
  }

  func closeAll() { for number in v4 + v6 { _ = close(number) } }

  private mutating func isWithoutPort(_ number: Int32) -> Bool {
    if let losesPort { return losesPort }
    let answer = nearPort(number) == 0
    losesPort = answer
    return answer
  }

  /// Reads what is left, a flood excepted.
  private func isEmpty(_ number: Int32) -> Bool {
    var byte: UInt8 = 0
    for _ in 0..<16 where recv(number, &byte, 1, Int32(MSG_DONTWAIT)) < 0 { return errno == EAGAIN }
    return false
  }
}

/// Dissolves the connection of a UDP socket.
private func dissolveConnection(_ number: Int32) -> Bool {
  var unspecified = sockaddr(
    sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  return connect(number, &unspecified, socklen_t(MemoryLayout<sockaddr>.size)) == 0
}
