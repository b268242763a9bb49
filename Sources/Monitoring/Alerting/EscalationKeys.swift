// SPDX-License-Identifier: MIT

import Basics

/// A step of `escalate` as it is written: nothing judged.
package struct EscalationDefinition: Sendable {
  package var after: Duration?
  package var to: [String]?

  package init() {}

  static let keys: [Key<EscalationDefinition>] = [
    Key(
      \.after, "after", .duration(Escalation.after),
      "Time that an incident must be neither acknowledged nor resolved"
    ).required,
    Key(\.to, "to", .texts, "Names of the channels that are notified then, and not before").required,
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
  }

  init(_ step: Escalation) {
    self.init()
    (after, to) = (step.after, step.to)
  }
}

extension FlapSettings: KeyedSettings {
  package static let keys: [Key<FlapSettings>] = [
    Key(\.opens, "opens", .integer(FlapSettings.opens), "Openings of one alert that make it flapping"),
    Key(\.within, "within", .duration(FlapSettings.within), "Time in which these openings lie"),
    Key(
      \.stable, "stable", .duration(FlapSettings.stable),
      "How long a flapping alert must be well until its incident is resolved, and three intervals of its check at least"
    ),
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
  }
}

extension KeyTable {
  /// A step of `alerts.escalate`.
  package static let escalation = KeyTable(EscalationDefinition.keys)
  package static let flap = KeyTable(FlapSettings.keys)
}

extension KeyPrinter {
  package mutating func escalations(_ steps: [Escalation]) {
    guard !steps.isEmpty else { return }
    map("escalate") { printer in
      for (index, step) in steps.enumerated() {
        printer.item(String(index)) { printer in
          let definition = EscalationDefinition(step)
          for key in EscalationDefinition.keys { key.print(definition, &printer) }
        }
      }
    }
  }

  package mutating func flap(_ settings: FlapSettings) {
    map("flap") { printer in
      for key in FlapSettings.keys { key.print(settings, &printer) }
    }
  }
}
