// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct WithoutLoginTests {
  @Test(arguments: [
    ("a:b@c", "<redacted>@c"), ("a@b@c/d@e", "<redacted>@c/d@e"), ("https://a/@b", "https://a/@b"),
    ("https://a:8080/@b", "https://a:8080/@b"), ("https://[::1]/@b", "https://[::1]/@b"),
    ("https://a:b?c@d", "https://<redacted>@d"), ("2001:db8::1", "2001:db8::1"), ("a@", "<redacted>@"),
    ("", ""),
  ])
  func wordsWithoutTheirLogin(word: String, shown: String) {
    #expect(withoutLogin(word) == shown)
  }

  /// Values for messages: an address of mail and a condition stay, a URL in the wrong place loses its login.
  @Test(arguments: [
    ("https://noc:S3cr3tPw@status.example/", "https://<redacted>@status.example/"),
    ("https://noc@status.example/", "https://<redacted>@status.example/"),
    ("noc:S3cr3tPw@status.example:80", "<redacted>@status.example:80"),
    ("ops@example.com", "ops@example.com"), ("a b@c", "a b@c"),
    ("https://a.example/?b=1", "https://a.example/?b=1"),
    ("2001:db8::1", "2001:db8::1"), ("a\nb", "a\\u{a}b"), ("", ""),
  ])
  func valuesOfMessages(value: String, shown: String) {
    #expect(value.shown(maxBytes: 80) == shown)
  }

  /// The login goes before the text is cut.
  @Test func aLongLoginIsNotCutInHalf() {
    let value = "https://u:" + String(repeating: "p", count: 200) + "@a.example/"
    #expect(value.shown(maxBytes: 20) == "https://<redacted…")
  }

  @Test(arguments: [
    ("https://a.example/p?token=x#y", "https://a.example/p?<redacted>"),
    ("https://a.example/p#token=x", "https://a.example/p#<redacted>"),
    ("https://u:p@a.example/?t", "https://<redacted>@a.example/?<redacted>"),
    ("https://a.example/", "https://a.example/"), ("what?", "what?"), ("#fff", "#fff"),
  ])
  func urlsWithoutTheirSecrets(value: String, shown: String) {
    #expect(value.withoutURLSecrets == shown)
  }
}
