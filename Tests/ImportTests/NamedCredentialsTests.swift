// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Names, tags and runbooks that repeat an address have none of its credentials.
@Suite struct NamedCredentialsTests {
  @Test(arguments: [
    ("https://k.example/?token=s3cret", "https://k.example/?token="),
    ("https://k.example/?token=s3 cret&b=1", "https://k.example/?token=&b=1"),
    ("https://u:p@k.example/x", "https://k.example/x"), ("h /x?token=s3cret", "h /x?token="),
    ("h /x?a=1&apikey=s3cret#top", "h /x?a=1&apikey="),
    ("Shop (https://u:p@k.example/) up?", "Shop (https://k.example/) up?"),
    ("ann@a.example", "ann@a.example"), ("Is it up? key=1", "Is it up? key=1"),
    ("https://k.example/?a=1#top", "https://k.example/?a=1#top"), ("", ""),
  ])
  func words(text: String, shown: String) {
    #expect(ForeignURL.withoutCredentials(text) == shown)
  }

  @Test(arguments: [
    (
      ImportFormat.gatus,
      "endpoints: [{name: \"https://k.example/?token=s3cret\", url: \"https://k.example/?token=s3cret\"}]"
    ),
    (
      ImportFormat.upptime,
      "sites: [{name: \"https://k.example/?token=s3cret\", url: \"https://k.example/?token=s3cret\"}]"
    ),
  ])
  func names(format: ImportFormat, text: String) throws {
    let made = try ReadSource(format, text)
    #expect(made.names == ["https://k.example/?token="] && !made.text.contains("s3cret"))
  }

  @Test func whatIsLeftOut() throws {
    let made = try ReadSource(.gatus, "endpoints: [{name: \"https://k.example/?token=s3cret\"}]")
    #expect(made.imported.leftOut.map(\.name) == ["\"https://k.example/?token=\""])
  }

  @Test func runbooks() {
    var check = ImportedCheck(name: "a", type: "http")
    let takesSecret = check.takeRunbook("https://w.example/?apikey=s3cret")
    #expect(!takesSecret && check["runbook"] == nil)
    let takesPage = check.takeRunbook("https://w.example/?page=1")
    #expect(takesPage)
    #expect(check["runbook"]?.word == "https://w.example/?page=1")
  }
}
