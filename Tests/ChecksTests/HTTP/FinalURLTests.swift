// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Words on a final URL that is another one than expected.
@Suite struct FinalURLTests {
  /// Two URLs that look alike differ in what is not shown.
  @Test(arguments: [
    (
      "https://shop.test/path?key=other",
      "final_url is https://shop.test/path?…, expected https://shop.test/path?…: the query or fragment differs"
    ),
    (
      "https://shop.test/path",
      "final_url is https://shop.test/path?…, expected https://shop.test/path"
    ),
  ])
  func whereAFinalURLDiffers(condition: String, words: String) throws {
    let judge = try Answer().judged { $0.expect.finalURL = condition }
    #expect(judge.verdict == Verdict(.finalURL, phase: .assertion, message: words))
  }
}
