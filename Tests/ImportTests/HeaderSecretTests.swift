// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Which headers an import keeps out of the file, by name and by value.
@Suite struct HeaderSecretTests {
  private func text(_ name: String, _ value: String) -> (text: String, secrets: [String]) {
    var check = ImportedCheck(name: "c", type: "http")
    check["url"] = .text("https://a.example/")
    check.header(name, value)
    var yaml = AgentYAML(secrets: .environment)
    let text = yaml.render([check], head: [])
    return (text, yaml.values.map { $0.value.reveal() })
  }

  /// Whatever stands around it, in any case.
  @Test(arguments: [
    "token", "X-Foo-Token", "x_token", "TOKEN-ID", "Authorization", "Proxy-Authorization", "X-Auth", "Cookie",
    "Set-Cookie2", "X-Secret", "X-Api-Key", "apikey", "Access_Key", "X-App-Key", "Private-Key",
    "Ocp-Apim-Subscription-Key", "X-Session-Id", "X-Signature", "X-Password", "X-Passwd", "Passphrase",
    "X-Credential", "X-CSRF", "X-XSRF", "key", "Pass", "pw", "pwd", "SIG",
  ])
  func namesOfSecrets(name: String) {
    let (text, secrets) = text(name, "hunter2")
    #expect(secrets == ["hunter2"] && !text.contains("hunter2"), "\(text)")
    #expect(text.contains("\(name): \"${env:"), "\(text)")
    // Nothing is kept apart of nothing.
    #expect(self.text(name, "").secrets == [])
  }

  @Test(arguments: [
    "Accept", "Host", "X-Trace", "Keyboard", "X-Pass-Through", "Content-Type", "X-Keys", "Sign",
  ])
  func otherNames(name: String) {
    let (text, secrets) = text(name, "hunter2")
    #expect(secrets == [] && text.contains("\(name): hunter2\n"), "\(text)")
  }

  /// Who asks says so in any header.
  @Test(arguments: [
    ("Bearer hunter2", true), ("bearer hunter2", true), ("Basic aHVudGVyMg==", true),
    ("Digest username=a", true),
    ("Token hunter2", true), ("tokens are fine", false), ("basically", false), ("a Bearer b", false),
  ])
  func values(value: String, isSecret: Bool) {
    #expect(text("X-A", value).secrets == (isSecret ? [value] : []))
  }
}
