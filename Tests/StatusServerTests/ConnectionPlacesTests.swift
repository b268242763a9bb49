// SPDX-License-Identifier: MIT

import Status
import Testing

@testable import StatusServer

/// Who gives up his place when all are taken.
@Suite struct ConnectionPlacesTests {
  /// Fills `limit` places from these addresses and gives the numbers.
  private func filled(_ addresses: [String]) -> (ConnectionPlaces, [Int]) {
    var places = ConnectionPlaces(limit: addresses.count)
    var numbers: [Int] = []
    for address in addresses {
      let (number, leaving) = places.enter(from: address)
      #expect(leaving == nil)
      numbers.append(number)
    }
    return (places, numbers)
  }

  @Test func theOldestThatAsksLeaves() {
    var (places, numbers) = filled(["a", "a", "a"])
    #expect(places.enter(from: "a").leaving == numbers[0])
    places.leave(numbers[0])
    places.move(numbers[1], to: .answering)
    #expect(places.enter(from: "a").leaving == numbers[2])
  }

  @Test func whoHasMostLosesFirst() {
    var (places, numbers) = filled(["honest", "greedy", "greedy", "other"])
    #expect(places.enter(from: "honest").leaving == numbers[1])
  }

  @Test func whoTakesNoAnswerLeavesBeforeTheNewOne() {
    var (places, numbers) = filled(["a", "a"])
    places.move(numbers[0], to: .answering)
    places.move(numbers[1], to: .sending)
    #expect(places.enter(from: "b").leaving == numbers[1])
  }

  /// Pages that are asked for and wait for their turn keep nobody out.
  @Test func whoWaitsForATurnLeavesBeforeTheNewOne() {
    var (places, numbers) = filled(["a", "a", "a"])
    places.move(numbers[0], to: .answering)
    for number in numbers.dropFirst() { places.move(number, to: .waiting) }
    #expect(places.enter(from: "a").leaving == numbers[1])
  }

  /// Answers that nobody takes have a budget in bytes: the oldest go, and not the one that came last.
  @Test func unreadAnswersHaveABudget() {
    var places = ConnectionPlaces(limit: 10, limitUnread: 100)
    let numbers = (0..<4).map { _ in places.enter(from: "a").number }
    #expect(places.send(numbers[1], bytes: 40).isEmpty)
    #expect(places.send(numbers[0], bytes: 30).isEmpty)
    #expect(places.send(numbers[2], bytes: 30).isEmpty)
    #expect(places.send(numbers[3], bytes: 31) == [numbers[0], numbers[1]])
    for number in numbers { places.move(number, to: .asking) }
    #expect(places.send(numbers[0], bytes: 1000).isEmpty, "alone it may be longer")
  }

  @Test func whileAllAreAnsweredTheNewOneLeaves() {
    var (places, numbers) = filled(["a", "a"])
    for number in numbers { places.move(number, to: .answering) }
    let (number, leaving) = places.enter(from: "b")
    #expect(leaving == number)
  }

  @Test func aPlaceThatWasLeftIsFree() {
    var (places, numbers) = filled(["a"])
    places.leave(numbers[0])
    #expect(places.isEmpty)
    #expect(places.enter(from: "a").leaving == nil)
  }
}
