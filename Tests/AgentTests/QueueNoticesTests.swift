// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status
import Testing
@testable import Agent

/// What an operator is told of queues that hold work, and who gets the last places of /probe.
@Suite struct QueueNoticesTests {
  private let start = Instant(nanoseconds: 5_000_000_000)
  private let wall = Timestamp(seconds: 1_767_225_600)

  @Test func aQueueIsToldOfAfterTwoSeconds() {
    let waits = [QueueWait(.memory, .apiChecks, count: 96, since: start)]
    #expect(QueueNotices.notices(of: waits, at: start + .seconds(2), wall: wall).isEmpty)
    let notices = QueueNotices.notices(of: waits, at: start + .seconds(12), wall: wall)
    #expect(
      notices == [
        .warning(
          .queues, "checks from the API wait for memory for large answers for 12 s: 96 waiting",
          hint:
            "look for checks in Quartz whose servers hold their answers, and lower their max_body or timeout",
          since: wall.advanced(by: .seconds(-12)))
      ])
    #expect(
      QueueNotices.lines(of: waits, at: start + .seconds(12)) == [
        "checks from the API wait for memory for large answers for 12 s: 96 waiting; look for checks in Quartz whose"
          + " servers hold their answers, and lower their max_body or timeout"
      ])
  }

  /// The two engines' threads are one queue for people: the older wait and both counts.
  @Test func threadsOfOneKindAreOneQueue() {
    let waits = [
      QueueWait(.starts, .asked, count: 2, since: start + .seconds(1)),
      QueueWait(.places, .fileChecks, count: 1, since: start),
      QueueWait(.starts, .asked, count: 3, since: start),
    ]
    #expect(
      QueueNotices.views(of: waits, at: start + .seconds(3)) == [
        WaitView(queue: "starts", origin: "asked", count: 5, held: .seconds(3)),
        WaitView(queue: "places", origin: "file_checks", count: 1, held: .seconds(3)),
      ])
  }

  /// Each queue and each origin has words and something to do.
  @Test func everyQueueHasWords() {
    let waits = QueueWait.Queue.allCases.flatMap { queue in
      WorkOrigin.Kind.allCases.map { QueueWait(queue, $0, count: 1, since: start) }
    }
    let notices = QueueNotices.notices(of: waits, at: start + .seconds(3), wall: wall)
    #expect(notices.count == waits.count && Set(notices.map(\.what)).count == waits.count)
    #expect(notices.allSatisfy { $0.hint?.isEmpty == false })
  }

  /// One asker may take seven eighths of the places; the rest is for those who have none.
  @Test func theLastPlacesAreForThoseWhoHaveNone() {
    var places = AskerPlaces()
    let (one, two) = (IPAddress("192.0.2.1"), IPAddress("192.0.2.2"))
    #expect((0..<20).count { _ in places.take(for: one, of: 16) } == 14)
    #expect(places.take(for: two, of: 16) == true)
    #expect(places.take(for: two, of: 16) == false)
    #expect(places.take(for: nil, of: 16) == true)
    #expect(places.take(for: IPAddress("192.0.2.3"), of: 16) == false)
    places.give(of: two)
    #expect(places.take(for: two, of: 16) == true)
    for _ in 0..<14 { places.give(of: one) }
    #expect(places.take(for: one, of: 16) == true)
  }

  /// The addresses of one network of 64 bits are one asker: they take no place that is kept for others.
  @Test func addressesOfOneNetworkAreOneAsker() {
    var places = AskerPlaces()
    let taken = (1...20).count { places.take(for: IPAddress("2001:db8::\($0)"), of: 16) }
    #expect(taken == 14)
    #expect(places.take(for: IPAddress("2001:db8:0:1::1"), of: 16) == true)
    for _ in 0..<14 { places.give(of: IPAddress("2001:db8::99")) }
    #expect(places.take(for: IPAddress("2001:db8::5"), of: 16) == true)
  }
}
