// SPDX-License-Identifier: MIT

/// Work that waits, by origin. Pure.
///
/// Urgent origins go first, in their order; the others take turns, and so do the keys within an origin. Under one key
/// it is first come, first served.
package struct FairQueue<Element> {
  /// The lines of one origin.
  fileprivate struct Ring {
    var lines: [UInt64: Fifo<Element>] = [:]
    /// Keys with work, the next one first. A key is in it once.
    var turns = Fifo<UInt64>()
    var count = 0
    var since: Instant?

    mutating func append(_ element: Element, _ key: UInt64, at now: Instant) {
      if lines[key] == nil { turns.append(key) }
      lines[key, default: Fifo()].append(element)
      count += 1
      if since == nil { since = now }
    }

    /// The first element in the order of turns that may go; those whose turn it was stay before those behind it.
    mutating func next(where mayGo: (Element) -> Bool) -> Element? {
      for place in 0..<turns.count {
        let key = turns[place]
        guard let first = lines[key]?[0], mayGo(first) else { continue }
        lines[key]?.remove(at: 0)
        turns.remove(at: place)
        if lines[key]?.count == 0 { lines[key] = nil } else { turns.append(key) }
        removed(1)
        return first
      }
      return nil
    }

    mutating func removeAll(of key: UInt64, where isMeant: (Element) -> Bool) -> [Element] {
      guard let found = lines[key]?.removeAll(where: isMeant), !found.isEmpty else { return [] }
      if lines[key]?.count == 0 {
        lines[key] = nil
        turns.removeAll { $0 == key }
      }
      removed(found.count)
      return found
    }

    private mutating func removed(_ number: Int) {
      count -= number
      if count == 0 { since = nil }
    }
  }

  private var rings = ByOrigin { _ in Ring() }
  package private(set) var count = 0
  /// Whose turn it is among those that are not urgent.
  private var turn = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package func count(of kind: WorkOrigin.Kind) -> Int { rings[kind].count }

  /// Whether something of this key waits.
  package func waits(_ origin: WorkOrigin) -> Bool { rings[origin.kind].lines[origin.key] != nil }

  /// Since when something of this origin has been waiting without a break; `nil` when nothing waits.
  package func since(of kind: WorkOrigin.Kind) -> Instant? { rings[kind].since }

  package mutating func append(_ element: Element, for origin: WorkOrigin, at now: Instant) {
    rings[origin.kind].append(element, origin.key, at: now)
    count += 1
  }

  /// The element whose turn it is, which leaves the queue.
  ///
  /// - Parameters:
  ///   - isOpen: whether anything of an origin may go; one look for all of it.
  ///   - mayGo: whether this element may; the first of each key is asked.
  package mutating func next(
    where isOpen: (WorkOrigin.Kind) -> Bool = { _ in true }, mayGo: (Element) -> Bool = { _ in true }
  ) -> Element? {
    guard count > 0 else { return nil }
    for kind in urgentKinds {
      if let element = take(kind, isOpen, mayGo) { return element }
    }
    for step in otherKinds.indices {
      let place = (turn + step) % otherKinds.count
      guard let element = take(otherKinds[place], isOpen, mayGo) else { continue }
      turn = (place + 1) % otherKinds.count
      return element
    }
    return nil
  }

  private mutating func take(
    _ kind: WorkOrigin.Kind, _ isOpen: (WorkOrigin.Kind) -> Bool, _ mayGo: (Element) -> Bool
  ) -> Element? {
    guard rings[kind].count > 0, isOpen(kind), let element = rings[kind].next(where: mayGo) else {
      return nil
    }
    count -= 1
    return element
  }

  /// Those of one key that are meant, in their order.
  @discardableResult
  package mutating func removeAll(
    for origin: WorkOrigin, where isMeant: (Element) -> Bool
  ) -> [Element] {
    let found = rings[origin.kind].removeAll(of: origin.key, where: isMeant)
    count -= found.count
    return found
  }

  /// Those that are meant, whatever their origin.
  package mutating func removeAll(where isMeant: (Element) -> Bool) -> [Element] {
    guard count > 0 else { return [] }
    return WorkOrigin.Kind.allCases.filter { rings[$0].count > 0 }.flatMap { kind in
      Array(rings[kind].lines.keys).flatMap { key in
        removeAll(for: WorkOrigin(kind, key: key), where: isMeant)
      }
    }
  }
}

extension FairQueue: Sendable where Element: Sendable {}
extension FairQueue.Ring: Sendable where Element: Sendable {}

private let urgentKinds = WorkOrigin.Kind.allCases.filter(\.isUrgent)
private let otherKinds = WorkOrigin.Kind.allCases.filter { !$0.isUrgent }

/// First in, first out.
private struct Fifo<Element> {
  private var elements: [Element] = []
  /// Places at the beginning whose elements have left.
  private var gone = 0

  var count: Int { elements.count - gone }

  subscript(place: Int) -> Element { elements[gone + place] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func remove(at place: Int) {
    guard place == 0 else {
      elements.remove(at: gone + place)
      return
    }
    gone += 1
    if gone > 32, gone * 2 > elements.count { compact() }
  }

  @discardableResult
  mutating func removeAll(where isMeant: (Element) -> Bool) -> [Element] {
    compact()
    var removed: [Element] = []
    elements.removeAll { element in
      let isRemoved = isMeant(element)
      if isRemoved { removed.append(element) }
      return isRemoved
    }
    return removed
  }

  private mutating func compact() {
    elements.removeFirst(gone)
    gone = 0
  }
}

extension Fifo: Sendable where Element: Sendable {}
