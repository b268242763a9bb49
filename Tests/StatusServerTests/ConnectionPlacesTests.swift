// SPDX-License-Identifier: MIT

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
