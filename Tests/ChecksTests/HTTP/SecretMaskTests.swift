// SPDX-License-Identifier: MIT

import Monitoring
import Testing

@testable import Checks

/// A page that repeats what it was sent, in whichever form its framework likes.
@Suite struct SecretMaskTests {
  private static let secret = "k3y\"</& ü"

  @Test(
    arguments: [
      "k3y\"</& ü", "azN5Ijw" + "vJiDDvA==", "k3y%22%3C%2F%26%20%C3%BC", "k3y%22%3c%2f%26%20%c3%bc",
      "6b3379223c2f2620c3bc", "6B3379223C2F2620C3BC", "k3y\\\"</& ü", "k3y&quot;&lt;/&amp; ü",
    ])
  func noFormOfItStays(echo: String) throws {
    let check = try httpCheck("http://good.test/") { $0.headers = [("X-Key", Redacted(Self.secret))] }
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    #expect(SecretMask(settings).excerpt(of: Array("sent: \(echo)!".utf8)) == "sent: <redacted>!")
  }
}
