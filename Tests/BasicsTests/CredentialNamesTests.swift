// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Names whose values are credentials.
@Suite struct CredentialNamesTests {
  private static let known = [
    "auth", "cookie", "token", "secret", "password", "passwd", "passphrase", "session", "api-key", "apikey",
    "access-key", "accesskey", "app-key", "private-key", "subscription-key", "signature", "credential",
    "csrf",
    "xsrf",
  ]

  /// A part of a name is enough, in any case, with either sign between words.
  @Test(arguments: CredentialNamesTests.known) func parts(part: String) {
    for name in [
      part, part.uppercased(), "x-\(part)", "\(part)-id", "my\(part)s",
      "X_\(part.replacing("-", with: "_"))_2",
    ] {
      #expect(CredentialNames.contains(name), "\(name)")
    }
    for text in [
      "\(part)=x", "a=b&\(part)=x", "{\"\(part)\": \"x\"}", "{'\(part)' : 'x'}", "<\(part)>x</\(part)>",
      "a b\n\(part): x",
    ] {
      #expect(CredentialNames.areGiven(in: text), "\(text)")
    }
    #expect(!CredentialNames.areGiven(in: "no \(part) here") && !CredentialNames.areGiven(in: part))
  }

  /// Short ones are whole names only.
  @Test(arguments: ["key", "pass", "pw", "pwd", "sig"]) func whole(name: String) {
    #expect(CredentialNames.contains(name) && CredentialNames.contains(name.uppercased()))
    for longer in ["\(name)s", "x\(name)", "x-\(name)"] {
      #expect(!CredentialNames.contains(longer), "\(longer)")
    }
  }

  @Test(arguments: ["", "-", "host", "accept", "user", "name", "tok-en", "page", "q"])
  func others(name: String) { #expect(!CredentialNames.contains(name)) }
}
