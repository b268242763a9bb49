// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@Suite struct NoticeLogTests {
  @Test func aProblemIsToldAgainWhileItLastsAndItsEndOnce() {
    var log = NoticeLog<String>(every: .seconds(60))
    func at(_ seconds: Int) -> Instant { Instant(nanoseconds: Int64(seconds) * 1_000_000_000) }
    let told = [0, 59, 60, 119, 120].map { log.tells("disk", at: at($0)) }
    #expect(told == [true, false, true, false, true])
    let ends = [log.ends("disk"), log.ends("disk"), log.ends("net")]
    #expect(ends == [true, false, false])
    let again = [log.tells("disk", at: at(122)), log.tells("net", at: at(123))]
    log.keep(["net"])
    let kept = [log.tells("net", at: at(124)), log.tells("disk", at: at(125))]
    #expect(again == [true, true])
    #expect(kept == [false, true])
  }
}
