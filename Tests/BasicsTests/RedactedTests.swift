// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@Suite struct RedactedTests {
  static let secret = "s3cr3t-w0rd"

  private struct Holder: Sendable {
    var name = "key"
    var value = Redacted(RedactedTests.secret)
    var optional: Redacted? = Redacted(RedactedTests.secret)
    var list = [Redacted(RedactedTests.secret)]
    var map = ["a": Redacted(RedactedTests.secret)]
    var kind = HTTPAuth.basic(username: "u", password: Redacted(RedactedTests.secret))
  }

  /// Each way a value becomes text.
  static let forms: [String] = {
    let value = Redacted(secret)
    let holder = Holder()
    var dumped = ""
    dump(value, to: &dumped)
    dump(holder, to: &dumped)
    var printed = ""
    print(value, holder, [value], to: &printed)
    debugPrint(value, holder, to: &printed)
    return [
      "\(value)", "\(holder)", "\([value])", "\(Optional(value) as Any)", String(describing: value),
      String(describing: holder), String(reflecting: value), String(reflecting: holder), value.description,
      value.debugDescription, dumped, printed, "\(Mirror(reflecting: value).children.map { "\($0)" })",
      "\(Mirror(reflecting: holder).children.map { "\($0)" })",
    ]
  }()

  @Test(arguments: forms)
  func neverShows(form: String) {
    #expect(!form.contains(Self.secret))
    #expect(!form.contains("s3cr3t"))
  }

  @Test func saysThatItIsRedacted() {
    let value = Redacted(Self.secret)
    #expect("\(value)" == "<redacted>")
    #expect(String(reflecting: value) == "<redacted>")
    #expect("\(Optional(value) as Any)".contains("<redacted>"))
    #expect(Mirror(reflecting: value).children.isEmpty)
  }

  @Test func revealsOnRequestOnly() {
    #expect(Redacted(Self.secret).reveal() == Self.secret)
    #expect(Redacted("").isEmpty)
    #expect(!Redacted(" ").isEmpty)
    #expect(Redacted("a") == Redacted("a"))
    #expect(Redacted("a") != Redacted("b"))
  }
}
