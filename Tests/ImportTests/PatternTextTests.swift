// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Patterns of Go in the words of PCRE2.
@Suite struct PatternTextTests {
  @Test(arguments: [
    ("all", "all"), ("^all$", "(?-m)^all\\z"), ("^*all", "(?-m)(?:^)*all"), ("^+all", "(?-m)(?:^)+all"),
    ("^{2}a", "(?-m)(?:^){2}a"), ("a$*", "(?-m)a(?:\\z)*"), ("\\b+a\\B?", "(?:\\b)+a(?:\\B)?"),
    ("\\A*a\\z+", "(?:\\A)*a(?:\\z)+"), ("[^*$]+", "(?-m)[^*$]+"), ("[]^]*$", "(?-m)[]^]*\\z"),
    ("[[:^alpha:]$]$", "(?-m)[[:^alpha:]$]\\z"), ("\\^*\\$+", "(?-m)\\^*\\$+"),
    ("\\Q^*$\\E$", "(?-m)\\Q^*$\\E\\z"),
    ("(?m)^a$", "(?-m)(?m)^a$"), ("(?im:^a$)", "(?-m)(?im:^a$)"), ("(?i)^a$", "(?-m)(?i)^a\\z"),
    ("(?P<m>^a$)", "(?-m)(?P<m>^a\\z)"), ("^{x", "(?-m)^{x"), ("a\\", "a\\"), ("[a", "[a"), ("", ""),
  ])
  func wholeTexts(given: String, made: String) { #expect(PatternText.whole(given) == made) }

  @Test(arguments: [("^*a$", "(?:^)*a$"), ("a", "a"), ("\\b*", "(?:\\b)*")])
  func whatIsRepeatedHasBrackets(given: String, made: String) {
    #expect(PatternText.repeatable(given) == made)
  }
}
