// SPDX-License-Identifier: MIT

/// Looks places up in a JSON text without building it: a body of 16 MiB would be a tree of a quarter of a gigabyte.
/// One pass, memory for the depth and for what is found.
package struct JSONSearch {
  package enum Finding: Hashable, Sendable {
    case value(JSONValue)
    case missing
    /// A name on the way, or in the value, stands there twice: RFC 8259 leaves open which of them counts.
    case ambiguous
    /// More bytes than `largestValue`, and no scalar.
    case tooLarge
  }

  /// Bytes of an array or object that can be compared.
  package static let largestValue = 64 * 1024  // bounded: constants

  /// Reads the whole text, strictly by RFC 8259 but for a byte order mark, which is stepped over.
  ///
  /// - Parameter maxDepth: arrays and objects inside one another; deeper is an error.
  /// - Returns: what is at each path, in their order.
  ///   - goesOn: asked now and then; false ends the search with an error.
  package static func find(
    _ paths: [JSONPath], in bytes: [UInt8], maxDepth: Int = 64, goesOn: @escaping () -> Bool = { true }
  ) throws(JSONError) -> [Finding] {
    var search = JSONSearch(
      paths: paths.map(\.segments), scanner: JSONScanner(bytes, goesOn: goesOn), maxDepth: maxDepth)
    search.scanner.skipMark()
    try search.value(depth: 0, wanted: paths.indices.map { Wanted(path: $0, segment: 0) })
    search.scanner.skipSpace()
    guard search.scanner.isAtEnd else { throw search.scanner.error("unexpected text after the value") }
    return paths.indices.map { search.finding($0) }
  }

  /// A path whose first segments led here.
  private struct Wanted {
    var path: Int
    var segment: Int
  }

  private let paths: [[JSONPath.Segment]]
  private var scanner: JSONScanner
  private let maxDepth: Int
  private var found: [Range<Int>?]
  private var ambiguous: [Bool]

  private init(paths: [[JSONPath.Segment]], scanner: JSONScanner, maxDepth: Int) {
    self.paths = paths
    self.scanner = scanner
    self.maxDepth = maxDepth
    found = Array(repeating: nil, count: paths.count)
    ambiguous = Array(repeating: false, count: paths.count)
  }

  private func finding(_ path: Int) -> Finding {
    if ambiguous[path] { return .ambiguous }
    guard let range = found[path] else { return .missing }
    let bytes = scanner.bytes[range]
    let isScalar = bytes.first != UInt8(ascii: "{") && bytes.first != UInt8(ascii: "[")
    guard isScalar || range.count <= Self.largestValue else { return .tooLarge }
    do throws(JSONError) {
      return .value(try JSONValue.parse(bytes, maxDepth: maxDepth))
    } catch {
      // Everything else was looked at on the way.
      return .ambiguous
    }
  }

  private mutating func value(depth: Int, wanted: [Wanted]) throws(JSONError) {
    scanner.skipSpace()
    let start = scanner.index
    switch scanner.current {
    case UInt8(ascii: "{"): try object(depth: depth, wanted: wanted)
    case UInt8(ascii: "["): try array(depth: depth, wanted: wanted)
    default: try scanner.scalar()
    }
    for want in wanted where want.segment == paths[want.path].count {
      found[want.path] = start..<scanner.index
    }
  }

  private mutating func object(depth: Int, wanted: [Wanted]) throws(JSONError) {
    guard depth < maxDepth else { throw scanner.error("nested deeper than \(maxDepth)") }
    var seen: [Int] = []
    scanner.step()
    scanner.skipSpace()
    if scanner.take(UInt8(ascii: "}")) { return }
    repeat {
      scanner.skipSpace()
      guard scanner.current == UInt8(ascii: "\"") else { throw scanner.error("expected a member name") }
      let name = try scanner.string()
      scanner.skipSpace()
      guard scanner.take(UInt8(ascii: ":")) else { throw scanner.error("expected a colon") }
      var inner: [Wanted] = []
      for want in wanted where isNamed(want, name) {
        if seen.contains(want.path) {
          ambiguous[want.path] = true
        } else {
          seen.append(want.path)
          // bounded: no further than the path is long
          inner.append(Wanted(path: want.path, segment: want.segment + 1))
        }
      }
      try value(depth: depth + 1, wanted: inner)
      scanner.skipSpace()
    } while scanner.take(UInt8(ascii: ","))
    guard scanner.take(UInt8(ascii: "}")) else { throw scanner.error("expected a comma or }") }
  }

  private func isNamed(_ want: Wanted, _ name: Range<Int>) -> Bool {
    guard want.segment < paths[want.path].count, case .name(let wanted) = paths[want.path][want.segment]
    else { return false }
    return scanner.string(at: name, equals: wanted)
  }

  private mutating func array(depth: Int, wanted: [Wanted]) throws(JSONError) {
    guard depth < maxDepth else { throw scanner.error("nested deeper than \(maxDepth)") }
    let indices = try positions(wanted, depth: depth)
    scanner.step()
    scanner.skipSpace()
    if scanner.take(UInt8(ascii: "]")) { return }
    var position = 0
    repeat {
      var inner: [Wanted] = []
      for (want, index) in indices where index == position {
        // bounded: no further than the path is long
        inner.append(Wanted(path: want.path, segment: want.segment + 1))
      }
      try value(depth: depth + 1, wanted: inner)
      position += 1
      scanner.skipSpace()
    } while scanner.take(UInt8(ascii: ","))
    guard scanner.take(UInt8(ascii: "]")) else { throw scanner.error("expected a comma or ]") }
  }

  /// Which element each path wants. An index from the end needs the count first, and so one pass more.
  private func positions(_ wanted: [Wanted], depth: Int) throws(JSONError) -> [(Wanted, Int)] {
    var indices: [(want: Wanted, index: Int)] = []
    for want in wanted where want.segment < paths[want.path].count {
      if case .index(let index) = paths[want.path][want.segment] { indices.append((want, index)) }
    }
    guard indices.contains(where: { $0.index < 0 }) else { return indices }
    var counter = scanner
    let count = try counter.countElements(depth: depth, maxDepth: maxDepth)
    return indices.map { ($0.want, $0.index < 0 ? count + $0.index : $0.index) }
  }
}
