// SPDX-License-Identifier: MIT

import Basics

/// Undoes the content codings of a body in small steps, counts the work of every one of them, and knows whether the
/// body came to its end. Belongs to one thread at a time.
///
/// Work is counted where it is done: 28 KB that three codings make into nothing at all can hold 4 GiB in between.
final class ContentDecoder {
  enum Step: Hashable {
    /// There is more to do.
    case more
    /// All is decoded, and every stream came to its end.
    case whole
    /// All is decoded, and a stream did not end.
    case cut
    /// The body goes on beyond the requested limit.
    case full
    case malformed
    /// The way from what arrived to the body is longer than a body of its size may need.
    case excess
    /// A decoder wants more memory than it may have.
    case greedy
  }

  /// Most bytes of a coded body that are read: a stream may go on for ever and decode to nothing.
  static func mostCoded(_ limit: Int) -> Int { max(limit, 1 << 20) + 64 * 1024 }

  /// Cost of the end of a stream, in bytes: a new member or frame is work, though it be empty.
  static let costOfEnd = 1024

  private(set) var body: [UInt8] = []
  /// Undone in this order.
  private let stages: [DecodingStage]
  private let coded: [UInt8]
  private let limit: Int
  /// How much of each stage's input was taken; the first one's is what arrived.
  private var positions: [Int]

  /// - Parameter limit: of the body, in bytes.
  /// - Returns: nil when memory is out.
  init?(_ codings: ContentCodings, _ coded: [UInt8], limit: Int) {
    var stages: [DecodingStage] = []
    for coding in codings.codings {
      guard let stage = DecodingStage(coding) else { return nil }
      stages.append(stage)
    }
    self.stages = stages
    self.coded = coded
    self.limit = limit
    positions = stages.map { _ in 0 }
  }

  /// Bytes that all stages took and made, and their ends.
  var work: Int {
    stages.reduce(0) { sum, stage in sum + stage.taken + stage.made + stage.ends * Self.costOfEnd }
  }

  /// Limit on the work of all stages: as if each coding made its body no smaller, and once more as much for the ends of
  /// streams.
  var allowance: Int { stages.count * 3 * Self.mostCoded(limit) }

  /// Bytes that the decoders held at most.
  var peak: Int { stages.reduce(0) { $0 + $1.peak } }

  /// One step of one coding: at most a piece taken and a piece made.
  func advance() -> Step {
    // What is nearest to the body comes first, so that never more than a piece waits between two codings.
    guard let index = stages.indices.last(where: { stages[$0].isPregnant || !rest(of: $0).isEmpty }) else {
      return stages.contains { $0.isUnfinished } ? .cut : .whole
    }
    let (used, result) = stages[index].step(rest(of: index))
    positions[index] += used
    let isLast = index == stages.count - 1
    if !isLast { positions[index + 1] = 0 }
    let isFull = isLast && !keep(stages[index].output)
    switch result {
    case .malformed: return .malformed
    case .noMemory: return .greedy
    case .fine: break
    }
    if isFull { return .full }
    return stages[index].made > Self.mostCoded(limit) || work > allowance ? .excess : .more
  }

  private func rest(of index: Int) -> ArraySlice<UInt8> {
    index == 0 ? coded[positions[0]...] : stages[index - 1].output[positions[index]...]
  }

  /// False: it was more than the limit lets in.
  private func keep(_ bytes: [UInt8]) -> Bool {
    let room = max(0, limit - body.count)
    let needed = body.count + min(bytes.count, room)
    if needed > body.capacity { body.reserveCapacity(min(limit, max(needed, 2 * body.capacity))) }
    body.append(contentsOf: bytes.prefix(room))
    return bytes.count <= room
  }
}
