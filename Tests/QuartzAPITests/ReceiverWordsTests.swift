// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import QuartzAPI

/// Words of PostgREST and PostgreSQL that say what their codes do not.
@Suite struct ReceiverWordsTests {
  /// PostgREST 12 says all of these under PGRST301, PostgREST 13 the first under PGRST303.
  @Test(arguments: [
    ("JWT expired", true), ("JWSError (JSONDecodeError \"Not valid UTF-8\")", false),
    ("JWSError JWSInvalidSignature", false), ("No suitable key or wrong key type", false), ("", false),
  ])
  func anExpiredSessionIsKnownByItsWords(message: String, isExpired: Bool) {
    #expect(ReceiverWords.saysExpired(message) == isExpired)
  }

  /// PostgreSQL's detail of 23503, the same since version 9.
  @Test(arguments: [
    (
      "Key (monitoring_check_id)=(7c9e6679-7425-40de-944b-e07fc1f90ae7) is not present in table \"monitoring_checks\".",
      "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    ),
    ("Key (agent_id)=(7c9e6679-7425-40de-944b-e07fc1f90ae7) is not present in table \"agents\".", nil),
    ("Key (monitoring_check_id)=(7c9e6679) is not present", nil), ("", nil),
  ])
  func aCheckThatIsGoneIsNamed(detail: String, id: String?) {
    #expect(ReceiverWords.missingCheck(in: detail)?.description == id)
  }
}
