// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Network

@Suite struct AddressLookupTests {
  private let question = DNSQuestion(name: DNSName("x") ?? .root, type: .a)

  private func look(_ change: (inout Wire) -> Void) throws -> AddressLookup {
    let message = try DNSMessage(Wire("x", .a).with(change).bytes)
    return AddressLookup(
      DNSReply(
        content: .message(message), transport: .udp, elapsed: .seconds(1)),
      to: question)
  }

  /// n0 → n1 → … → the address.
  private func chain(_ aliases: Int) -> (inout Wire) -> Void {
    { wire in
      for index in 0..<aliases {
        wire.answers.append(
          Wire.cname("n\(index + 1)", name: index == 0 ? [0xc0, 12] : Wire.name("n\(index)")))
      }
      wire.answers.append(
        Wire.record(1, [192, 0, 2, 1], name: aliases == 0 ? [0xc0, 12] : Wire.name("n\(aliases)")))
    }
  }

  @Test(arguments: [0, 1, 8, 9, 16, 100, 1000]) func followsAliases(count: Int) throws {
    let lookup = try look(chain(count))
    #expect(lookup.addresses == [IPAddress("192.0.2.1")])
    #expect(lookup.failure == nil)
    #expect(lookup.elapsed == .seconds(1))
  }

  @Test func givesUpOnALoop() throws {
    let lookup = try look { $0.answers = [Wire.cname("y"), Wire.cname("x", name: Wire.name("y"))] }
    #expect(lookup.failure?.reason == .dnsMalformed)
    #expect(lookup.failure?.message == "the aliases of x. lead in a circle")
    #expect(lookup.aliases == ["y."])
  }

  /// The last name is an alias of one in the middle, which was never asked for.
  @Test func givesUpOnACircleBehindAPath() throws {
    let lookup = try look { wire in
      chain(20)(&wire)
      wire.answers[20] = Wire.cname("n7", name: Wire.name("n20"))
    }
    #expect(lookup.failure?.message == "the aliases of x. lead in a circle")
    #expect(lookup.aliases.count == 20)
  }

  @Test func takesNoAddressThatIsNotOnThePath() throws {
    let lookup = try look {
      $0.answers = [Wire.cname("y"), Wire.record(1, [10, 0, 0, 1], name: Wire.name("z"))]
    }
    #expect(lookup.addresses.isEmpty)
    #expect(lookup.failure?.reason == .dnsNoData)
  }

  @Test func takesTheFirst16Addresses() throws {
    let lookup = try look { wire in
      wire.answers = (0..<4000).map { Wire.record(1, [10, 0, UInt8($0 / 256), UInt8($0 % 256)]) }
    }
    #expect(lookup.addresses.count == 16)
  }

  @Test(arguments: [
    (UInt16(3), Reason.dnsNXDomain), (2, .dnsServfail), (5, .dnsRefused), (4, .dnsRcode), (1, .dnsRcode),
  ]) func codesHaveReasons(code: UInt16, reason: Reason) throws {
    #expect(try look { $0.flags = 0x8180 | code }.failure?.reason == reason)
  }

  /// RFC 8914: what a resolver says of its failure reaches every check that needed the name, in our words.
  @Test func theResolversReasonIsTold() throws {
    let blocked = try look {
      $0.flags = 0x8183
      $0.additional = [Wire.record(41, [0, 15, 0, 5, 0, 15] + Array("ad!".utf8), name: [0])]
    }
    #expect(blocked.failure?.reason == .dnsNXDomain)
    #expect(blocked.failure?.message == "x. does not exist; it says: blocked")
  }

  @Test func noAnswerIsNoData() throws { #expect(try look { _ in }.failure?.reason == .dnsNoData) }

  @Test func faultsOfTheMachinesOwnServersAreLocal() {
    for reason in [Reason.connectRefused, .connectUnreachable, .connectionClosed, .localFault] {
      let reply = DNSReply(
        content: .failure(Verdict(reason, message: "m")), transport: .udp,
        elapsed: .zero)
      #expect(AddressLookup(reply, to: question).failure?.reason == .localFault)
    }
  }

  @Test func theFamilyThatFailsOutweighsTheOneThatHasNothing() throws {
    let name = question.name
    let none = try look { _ in }
    let failed = try look { $0.flags = 0x8182 }
    #expect(AddressLookup(merging: [none, failed], of: name, scope: .any).failure?.reason == .dnsServfail)
    #expect(
      AddressLookup(merging: [none, none], of: name, scope: .each).failure?.message
        == "x. exists but has no address")
    // A server that follows a few aliases and no more.
    let cut = try look { $0.answers = [Wire.cname("y"), Wire.cname("z", name: Wire.name("y"))] }
    #expect(
      AddressLookup(merging: [none, cut], of: name, scope: .any).failure?.message
        == "x. exists but has no address; its aliases end at z.")
    let gone = try look {
      $0.flags = 0x8183
      $0.answers = [Wire.cname("y")]
    }
    #expect(gone.failure?.message == "x. does not exist; its aliases end at y.")
    #expect(AddressLookup(merging: [failed, try look(chain(0))], of: name, scope: .any).failure == nil)
  }

  /// `addresses: each` is a word about all of them.
  @Test func halfOfTheAddressesAreNotEachOfThem() throws {
    let (none, found) = (try look { _ in }, try look(chain(0)))
    let failed = try look { $0.flags = 0x8182 }
    let half = AddressLookup(merging: [failed, found], of: question.name, scope: .each)
    #expect(half.addresses.isEmpty && half.failure?.reason == .dnsServfail)
    #expect(
      half.failure?.message
        == "only a part of the addresses is known: the name server failed for \(question.name)")
    #expect(AddressLookup(merging: [none, found], of: question.name, scope: .each).failure == nil)
  }

  /// NXDOMAIN for one family of a name that has addresses of the other is the name server's fault (RFC 4074 4.2).
  @Test func aNameWithAddressesExists() throws {
    let (gone, found) = (try look { $0.flags = 0x8183 }, try look(chain(0)))
    for pair in [[gone, found], [found, gone]] {
      let half = AddressLookup(merging: pair, of: question.name, scope: .each)
      #expect(half.isPartial && half.addresses.isEmpty)
      #expect(half.failure?.reason == .dnsMalformed && half.failure?.phase == .dns)
      #expect(
        half.failure?.message
          == "the name server contradicts itself: it gives addresses of one IP version, and for the other says:"
          + " x. does not exist")
      #expect(AddressLookup(merging: pair, of: question.name, scope: .any).failure == nil)
    }
  }

  /// A name may have addresses of the family for which the server failed, so NXDOMAIN for the other is not the answer.
  @Test func aFailureOutweighsNXDOMAIN() throws {
    let (gone, failed) = (try look { $0.flags = 0x8183 }, try look { $0.flags = 0x8182 })
    for pair in [[gone, failed], [failed, gone]] {
      let merged = AddressLookup(merging: pair, of: question.name, scope: .any)
      #expect(merged.failure?.reason == .dnsServfail)
    }
    for pair in [[gone, gone], [gone, try look { _ in }]] {
      let merged = AddressLookup(merging: pair, of: question.name, scope: .any)
      #expect(merged.failure?.reason == .dnsNXDomain)
    }
  }

  /// Both families are asked at once: what this machine held back is what the slower of them would not have taken itself.
  @Test(arguments: [
    (first: (100, 60), second: (90, 10), elapsed: 100, held: 20),
    (first: (100, 0), second: (90, 80), elapsed: 100, held: 0),
    (first: (40, 40), second: (30, 20), elapsed: 40, held: 30),
    (first: (50, 20), second: (50, 20), elapsed: 50, held: 20),
  ])
  func theTimeOfTwoLookups(first: (Int, Int), second: (Int, Int), elapsed: Int, held: Int) throws {
    let lookups = try [first, second].map { whole, held in
      var lookup = try look(chain(0))
      (lookup.elapsed, lookup.held) = (.milliseconds(whole), .milliseconds(held))
      return lookup
    }
    for pair in [lookups, lookups.reversed()] {
      let merged = AddressLookup(merging: pair, of: question.name, scope: .any)
      #expect(merged.elapsed == .milliseconds(elapsed) && merged.held == .milliseconds(held))
    }
  }

  /// Sixteen addresses of each family: IPv6 first by turns, or after all but one of IPv4 where it cannot be reached.
  @Test func sixteenOfTwoFamilies() {
    let v4 = (1...20).map { IPAddress.v4(0xc000_0200 + UInt32($0)) }
    let v6 = (1...20).map { IPAddress.v6(high: 0x2001_0db8_0000_0000, low: UInt64($0)) }
    let turns = AddressLookup.order(v4 + v6) { _ in true }
    #expect(turns == zip(v6, v4).prefix(8).flatMap { [$0, $1] })
    #expect(AddressLookup.order(v4 + v6) { _ in false } == Array(v4.prefix(15)) + [v6[0]])
    #expect(AddressLookup.order(v4, canReach: { _ in false }) == Array(v4.prefix(16)))
    #expect(AddressLookup.order(v6, canReach: { _ in false }) == Array(v6.prefix(16)))
    #expect(AddressLookup.order([v4[0], v6[0], v6[1]]) { _ in false } == [v4[0], v6[0], v6[1]])
    #expect(AddressLookup.order([v4[0], v6[0], v6[1]]) { _ in true } == [v6[0], v4[0], v6[1]])
  }

  @Test func anAddressTwiceIsOne() throws {
    let lookup = try look { $0.answers = [1, 2, 1].map { Wire.record(1, [192, 0, 2, $0]) } }
    #expect(lookup.addresses.map(\.description) == ["192.0.2.1", "192.0.2.2"])
  }

  /// CHAOS knows addresses, too, but not of the internet.
  @Test func recordsOfAnotherClassAreNoAnswer() throws {
    let lookup = try look { $0.answers = [Wire.record(1, [192, 0, 2, 1], class: 3)] }
    #expect(lookup.failure?.reason == .dnsNoData)
  }

  @Test func aReferralIsNoAnswer() throws {
    let lookup = try look { $0.flags = 0x8100 }
    #expect(lookup.failure?.reason == .dnsRefused, "\(String(describing: lookup.failure))")
    // With the SOA record of its zone it says that there is nothing.
    let soa = Wire.record(6, [0, 0] + [UInt8](repeating: 0, count: 20), name: [0])
    let nothing = try look {
      $0.flags = 0x8100
      $0.authority = [soa]
    }
    #expect(nothing.failure?.reason == .dnsNoData)
  }

  private let v4 = (1...20).map { IPAddress.v4($0) }
  private let v6 = (1...20).map { IPAddress.v6(high: 1 << 61, low: $0) }

  @Test func familiesTakeTurnsIPv6First() {
    let order = AddressLookup.order(Array(v4[..<3]) + v6[..<2]) { _ in true }
    #expect(order == [v6[0], v4[0], v6[1], v4[1], v4[2]])
  }

  @Test func withoutARouteIPv6ComesLast() {
    #expect(AddressLookup.order(Array(v6[..<2]) + v4[..<2]) { _ in false } == [v4[0], v4[1], v6[0], v6[1]])
    let many = AddressLookup.order(v6 + v4) { _ in false }
    #expect(many.count == 16)
    #expect(many.last == v6[0])
  }

  @Test func aSingleFamilyKeepsItsOrder() {
    #expect(AddressLookup.order(v6) { _ in false } == Array(v6[..<16]))
    #expect(AddressLookup.order(v4) { _ in true } == Array(v4[..<16]))
  }

  /// Of the hosts file, whose order is kept otherwise.
  @Test func theFamilyWithoutARouteComesLast() {
    let mixed = [v6[0], v4[0], v6[1], v4[1]]
    #expect(AddressLookup.routed(mixed) { $0.version == 4 } == [v4[0], v4[1], v6[0], v6[1]])
    #expect(AddressLookup.routed(mixed) { $0.version == 6 } == [v6[0], v6[1], v4[0], v4[1]])
    #expect(AddressLookup.routed(mixed) { _ in true } == mixed)
    #expect(AddressLookup.routed(mixed) { _ in false } == mixed)
  }

  @Test func theMachineReachesItself() { #expect(SocketAddress(.loopback, port: 9).hasRoute) }
}
