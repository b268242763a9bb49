// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport
import Testing

/// What somebody changed in the API's list, as this machine's log shows it (S-12).
@Suite struct ChangeLogTests {
  private func rows(_ checks: FakeCheck...) throws -> [WireCheck] {
    try checks.map { try WireCheck(JSONValue.parse(Array($0.json.utf8))) }
  }

  @Test func addedRemovedAndChangedAreTold() throws {
    let before = try rows(
      FakeCheck(
        id: checkID(1).description,
        members: #""check_type":"http","url":"https://a.example/","timeout_seconds":30"#),
      FakeCheck(id: checkID(2).description, members: #""check_type":"http","url":"https://b.example/""#),
      FakeCheck(id: checkID(3).description, members: #""check_type":"http","url":"https://c.example/""#))
    let after = try rows(
      FakeCheck(
        id: checkID(1).description,
        members:
          #""check_type":"http","url":"https://evil.example/x","timeout_seconds":5,"http_method":"HEAD""#),
      FakeCheck(id: checkID(3).description, members: #""check_type":"http","url":"https://c.example/""#),
      FakeCheck(
        id: checkID(4).description, members: #""check_type":"port","ip_address":"d.example","port":22"#))
    let changes = CheckChange.between(before, after)
    #expect(changes.map(\.id) == [1, 2, 4].map(checkID))
    #expect(
      changes.map(\.text) == [
        "url: https://a.example/ -> https://evil.example/x; timeout_seconds: 30 -> 5; http_method: none -> HEAD",
        "removed", "added",
      ])
    #expect(changes[0].name == "Shop http")
    #expect(CheckChange.between(after, after).isEmpty)
  }

  /// A changed secret is told, what it is or was is not.
  @Test func secretsAreNotShown() throws {
    func check(_ secret: String) throws -> [WireCheck] {
      try rows(
        FakeCheck(
          id: checkID(1).description,
          members:
            #""check_type":"http","url":"https://user:\#(secret)@a.example/p?key=\#(secret)","http_auth_type":"bearer","#
            + #""http_auth_credentials":{"token":"\#(secret)"},"custom_headers":{"X-Key":"\#(secret)"}"#))
    }
    let changes = CheckChange.between(try check("hunter2"), try check("correct-horse"))
    let text = try #require(changes.first?.text)
    #expect(!text.contains("hunter2") && !text.contains("correct-horse"))
    #expect(text.contains("url: "))
    #expect(text.contains("http_auth_credentials: <redacted> -> <redacted>"))
    #expect(text.contains("custom_headers: <redacted> -> <redacted>"))
    #expect(!"\(changes)".contains("hunter2"))
    var dumped = ""
    dump(changes, to: &dumped)
    #expect(!dumped.contains("hunter2") && !dumped.contains("correct-horse"))
  }

  /// After a restart: what the list on disk does not keep is no change, the rest is.
  @Test(
    arguments: [
      ("https://a.example/p", 30, "https://a.example/p?k=1", nil),
      ("https://a.example/p", 10, "https://a.example/p?k=1", "timeout_seconds: 10 -> 30"),
      (
        "https://a.example/p", 30, "https://b.example/p?k=1",
        "url: https://a.example/p -> https://b.example/p?<redacted>"
      ),
    ] as [(String, Int, String, String?)])
  func aRestartChangesNothing(kept: String, timeout: Int, pulled: String, text: String?) throws {
    let before = try rows(
      FakeCheck(
        id: checkID(1).description,
        members:
          #""check_type":"http","url":"\#(kept)","timeout_seconds":\#(timeout),"agent_secrets_missing":true"#)
    )
    let after = try rows(
      FakeCheck(
        id: checkID(1).description,
        members:
          #""check_type":"http","url":"\#(pulled)","timeout_seconds":30,"custom_headers":{"X-Key":"k"}"#))
    #expect(CheckChange.between(before, after).map(\.text) == [text].compactMap(\.self))
  }

  /// The parts of a url that are not shown are compared: its query, and all of one that cannot be read.
  @Test(
    arguments: [
      ("https://a.example/p?k=1", "https://a.example/p?k=1", nil),
      (
        "https://a.example/p?k=1", "https://a.example/p?k=2",
        "url: https://a.example/p?<redacted> -> https://a.example/p?<redacted>"
      ),
      (
        "https://a.example/p", "https://a.example/p?k=1",
        "url: https://a.example/p -> https://a.example/p?<redacted>"
      ),
      ("https://a.example/p", "https://a.example/p#top", nil),
      ("https://u:aaaa@a.example/", "https://u:aaaa@a.example/", nil),
      (
        "https://u:aaaa@a.example/", "https://u:bbbb@a.example/",
        "url: an unreadable url of 25 bytes -> an unreadable url of 25 bytes"
      ),
    ] as [(String, String, String?)])
  func hiddenPartsOfAURL(before: String, after: String, text: String?) throws {
    let lists = try [before, after].map { url in
      try rows(FakeCheck(id: checkID(1).description, members: #""check_type":"http","url":"\#(url)""#))
    }
    #expect(CheckChange.between(lists[0], lists[1]).map(\.text) == [text].compactMap(\.self))
  }
}
