// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAPI

/// A server that quotes our secrets in its refusals must not get them into log and status.
@Suite struct MaskingTests {
  private func masked(_ body: String, headers: [HeaderField] = [], sent: String = "", isSignIn: Bool = false)
    throws
    -> String
  {
    var request = APIRequest(
      .post, try HTTPURL("https://api.test/v1/x"), headers: headers, body: Array(sent.utf8))
    request.hasSecretBody = isSignIn
    return String(decoding: masking(Array(body.utf8), secretsOf: request), as: UTF8.self)
  }

  @Test func headerValuesAreReplacedWithAndWithoutTheirScheme() throws {
    let headers = [
      HeaderField("X-API-Key", "qtz_topsecret"),
      HeaderField("Authorization", "Bearer token-of-mine"),
    ]
    let text = try masked("{\"message\":\"bad key qtz_topsecret and token-of-mine\"}", headers: headers)
    #expect(text == "{\"message\":\"bad key <redacted> and <redacted>\"}")
  }

  @Test func theSignInsPasswordIsReplaced() throws {
    let text = try masked(
      "no such user agent@example.test with correct horse",
      sent: "{\"email\":\"a@b.test\",\"password\":\"correct horse\"}",
      isSignIn: true)
    #expect(text == "no such user agent@example.test with <redacted>")
  }

  @Test func ordinaryWordsStay() throws {
    #expect(
      try masked("JWT expired", headers: [HeaderField("X", "JWT")]) == "JWT expired")
  }
}
