// SPDX-License-Identifier: MIT

import Basics

/// One item of `heartbeat`: a service that is told that the agent lives, and raises an alarm when it is not told any more (a
/// dead man's switch).
package struct LifeSign: Hashable, Sendable {
  /// Asked by GET; its path is a secret with most services.
  package var url: HTTPURL
  package var every: Duration
  /// Asked instead while the agent lives and does not probe; nil: silence.
  package var failURL: HTTPURL?

  package init(url: HTTPURL, every: Duration = Self.usual, failURL: HTTPURL? = nil) {
    (self.url, self.every, self.failURL) = (url, every, failURL)
  }

  package static let usual: Duration = .seconds(60)
  package static let every: ClosedRange<Duration> = .seconds(10) ... .seconds(86_400)
  /// Items of a configuration.
  package static let limit = 8
  /// Of one request; less than the shortest `every`.
  package static let timeout: Duration = .seconds(8)
}

/// An item as it was written.
package struct LifeSignDefinition: Sendable {
  package var url: Redacted?
  package var every: Duration?
  package var failURL: Redacted?

  package init() {}

  static let keys: [Key<LifeSignDefinition>] = [
    Key(
      \.url, "url", .secretURL,
      "URL requested by GET while the agent probes; its path is a secret with most services"
    )
    .required,
    Key(\.every, "every", .duration(LifeSign.every), "Interval of the requests", default: "60s"),
    Key(
      \.failURL, "fail_url", .secretURL, "URL requested instead while the agent runs and does not probe",
      default: "no request"
    ),
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
  }

  init(_ sign: LifeSign) {
    self.init()
    (url, every, failURL) = (Redacted(sign.url.text), sign.every, sign.failURL.map { Redacted($0.text) })
  }
}

extension LifeSign {
  /// Judges a definition.
  ///
  /// - Throws: `InvalidAlerts` with every problem found; no message shows a secret.
  package init(_ definition: LifeSignDefinition) throws(InvalidAlerts) {
    var problems: [CheckProblem] = []
    func parsed(_ key: String, _ text: Redacted?) -> HTTPURL? {
      guard let text else { return nil }
      if let url = try? HTTPURL(text.reveal()), url.text.utf8.count <= 2048 { return url }
      problems.append(
        CheckProblem([key], "\(key) must be an http or https URL", hint: "such as https://hc.example/ping/ID")
      )
      return nil
    }
    let (url, failURL) = (parsed("url", definition.url), parsed("fail_url", definition.failURL))
    if definition.url == nil {
      problems.append(CheckProblem(["url"], "url is missing", hint: "such as https://hc.example/ping/ID"))
    }
    guard problems.isEmpty, let url else { throw InvalidAlerts(problems: problems) }
    self.init(url: url, every: definition.every ?? Self.usual, failURL: failURL)
  }
}

extension KeyTable {
  /// An item of the section `heartbeat`.
  package static let lifeSign = KeyTable(LifeSignDefinition.keys)
}

extension KeyPrinter {
  package mutating func lifeSigns(_ signs: [LifeSign]) {
    guard !signs.isEmpty else { return }
    map("heartbeat") { printer in
      for (index, sign) in signs.enumerated() {
        printer.item(String(index)) { printer in
          let definition = LifeSignDefinition(sign)
          for key in LifeSignDefinition.keys { key.print(definition, &printer) }
        }
      }
    }
  }
}
