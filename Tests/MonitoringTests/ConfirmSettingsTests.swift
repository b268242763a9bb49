// SPDX-License-Identifier: MIT

import Monitoring
import Testing

@Suite struct ConfirmSettingsTests {
  /// Names of places stand in the keys of a store.
  @Test(arguments: [
    ("", false), ("a", true), ("AZaz09._-", true), (String(repeating: "a", count: 64), true),
    (String(repeating: "a", count: 65), false), ("a b", false), ("a/b", false), ("a:b", false), ("@", false),
    ("[", false), ("`", false), ("{", false), ("ü", false), ("a\n", false),
  ])
  func placesAreNames(name: String, holds: Bool) { #expect(ConfirmSettings.isPlace(name) == holds) }

  @Test func limits() {
    #expect(ConfirmSettings.places == 2...50)
    #expect(ConfirmSettings.time == .seconds(1) ... .seconds(60))
    #expect(ConfirmSettings().within == .seconds(20))
  }
}
