// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring
@testable import QuartzAPI

/// The small files of state_dir as somebody or something left them: the count of requests, the size of batches, what
/// was told of resources, the cached list. The first byte chooses; a sum is put right, so that numbers are reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let rest = Array(bytes.dropFirst())
  switch bytes[0] % 4 {
  case 0:
    budget(rest)
    budget(summed(Array("QRB1".utf8) + rest))
  case 1:
    guard let memory = BatchMemory(rest, receiver: "r", configured: 500) else { break }
    var machine = DeliveryMachine(settings: .init())
    machine.recall(memory)
    for now in [Timestamp.epoch, noon, Timestamp(microseconds: .max)] { _ = machine.next(at: now) }
    precondition(
      BatchMemory(memory.encoded(receiver: "r", configured: 500), receiver: "r", configured: 500) != nil)
  case 2:
    let board = ResourceBoard(restoring: rest, base: "b")
    precondition(ResourceBoard(restoring: board.encoded(base: "b"), base: "b").told == board.told)
  default: list(rest)
  }
  return 0
}

private let noon = Timestamp(seconds: 1_772_000_000)

private func budget(_ bytes: [UInt8]) {
  var budget = RateBudget(restoring: bytes, at: noon)
  for step in 0..<4 {
    let now = noon.advanced(by: .seconds(step * 40))
    for use in RequestUse.allCases { if budget.request(use, at: now) == .reserve { budget.reserved() } }
    precondition(budget.used(at: now).hour >= 0)
  }
  _ = RateBudget(restoring: budget.encoded(reserving: 10), at: noon.advanced(by: .seconds(200)))
}

/// As the file ends: FNV-1a over what stands before.
private func summed(_ bytes: [UInt8]) -> [UInt8] {
  let sum = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
  return bytes + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
}

private func list(_ bytes: [UInt8]) {
  guard let url = try? HTTPURL("https://good.test/v1") else { return }
  let cache = CheckListCache(file: ForgottenBytes(), base: url, keepsSecrets: true)
  guard case .list(let snapshot, _) = cache.decode(bytes) else { return }
  let mapping = CheckMapping(MappingRules())
  var budget = mapping.freshBudget
  _ = mapping.map(snapshot, budget: &budget, now: noon)
}
