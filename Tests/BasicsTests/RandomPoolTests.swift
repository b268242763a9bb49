// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Synchronization
import Testing

@Suite struct RandomPoolTests {
  /// A page of 32 words is refilled many times over, from many threads at once.
  @Test func noWordComesTwice() async {
    let words = await withTaskGroup(of: [UInt64].self) { group in
      for _ in 0..<8 {
        group.addTask {
          var pool = RandomPool()
          return (0..<5000).map { _ in pool.next() }
        }
      }
      return await group.reduce(into: [UInt64]()) { $0 += $1 }
    }
    #expect(Set(words).count == 40_000)
  }

  /// Each of the 64 bits is set about half of the time: 10,000 words miss a mean of 5,000 by 350 once in 10^12 runs.
  @Test func everyBitIsUsed() {
    var pool = RandomPool()
    var counts = [Int](repeating: 0, count: 64)
    for _ in 0..<10_000 {
      let word = pool.next()
      for bit in 0..<64 where word >> UInt64(bit) & 1 == 1 { counts[bit] += 1 }
    }
    #expect(counts.allSatisfy { abs($0 - 5000) < 350 })
  }

  /// What a child process draws is not what its parent draws next.
  @Test func aForkStartsAfresh() throws {
    typealias Fork = @convention(c) () -> pid_t
    let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)
    var pool = RandomPool()
    _ = pool.next()
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let child = fork()
    if child == 0 {
      var word = pool.next()
      _ = write(ends[1], &word, 8)
      _exit(0)
    }
    var theirs: UInt64 = 0
    let count = read(ends[0], &theirs, 8)
    let ours = (0..<32).map { _ in pool.next() }
    waitpid(child, nil, 0)
    close(ends[0])
    close(ends[1])
    #expect(count == 8)
    #expect(theirs != 0)
    #expect(!ours.contains(theirs))
  }
}
