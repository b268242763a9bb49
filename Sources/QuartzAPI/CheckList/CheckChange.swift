// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A change in the API's list, for this machine's log: a key of the API can edit every check, so the agent's operator
/// must be able to see each change with its time. Secrets appear as changed, never with their values.
package struct CheckChange: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case added, removed
    case changed([Column])
  }

  package struct Column: Hashable, Sendable {
    package var name: String
    /// `nil` where it had none.
    package var before: String?
    package var after: String?
  }

  package var id: UniqueID
  /// The resource's name and the type.
  package var name: String
  package var kind: Kind

  /// The changes from one list to the next, by id. After a restart, a value that the list on disk does not keep is no change.
  package static func between(_ old: [WireCheck], _ new: [WireCheck]) -> [CheckChange] {
    let before = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(new.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var changes: [CheckChange] = []
    for check in old where after[check.id] == nil {
      changes.append(CheckChange(id: check.id, name: check.plainName, kind: .removed))
    }
    for check in new {
      guard let known = before[check.id] else {
        changes.append(CheckChange(id: check.id, name: check.plainName, kind: .added))
        continue
      }
      guard known != check else { continue }
      let kept = check.withoutSecrets
      // Only a check of the disk lacks what a check with secrets has.
      let mayBeKept = known.secrets.areMissing || !kept.secrets.areMissing
      let columns = zip(zip(known.shown, check.shown), kept.shown).compactMap { pair, kept in
        let (was, now) = pair
        return was.value == now.value || (mayBeKept && was.value == kept.value)
          ? nil : Column(name: was.name, before: was.value?.text, after: now.value?.text)
      }
      if !columns.isEmpty {
        changes.append(CheckChange(id: check.id, name: check.plainName, kind: .changed(columns)))
      }
    }
    return changes.sorted { $0.id < $1.id }
  }

  /// One line, for the log: `url: https://a/ -> https://b/; timeout_seconds: 30 -> 5`.
  package var text: String {
    switch kind {
    case .added: "added"
    case .removed: "removed"
    case .changed(let columns):
      columns.map { "\($0.name): \($0.before ?? "none") -> \($0.after ?? "none")" }.joined(separator: "; ")
    }
  }
}

/// A column as it is compared, and as it is shown.
private struct ShownValue: Hashable {
  var text: String
  /// The value that a secret is compared by; it is never shown.
  var secret: SecretJSON?
}

extension WireCheck {
  var plainName: String {
    let resource = (resourceName ?? "").printable(maxBytes: 120)
    let type = type.printable(maxBytes: 24)
    return resource.isEmpty ? "resource \(resourceID) \(type)" : "\(resource) \(type)"
  }

  /// Every column that means something to the agent, always the same ones in the same order.
  fileprivate var shown: [(name: String, value: ShownValue?)] {
    func text(_ value: String?) -> ShownValue? { value.map { ShownValue(text: $0.printable(maxBytes: 120)) } }
    func secret(_ value: SecretJSON?) -> ShownValue? {
      value.map { ShownValue(text: Redacted.mark, secret: $0) }
    }
    let columns = Self.columns.map { column in
      let value = self[column.name]
      let shown = text(value?.text ?? value?.number.map(String.init))
      return (column.name, column.name == "url" ? url.map(shownURL) : shown)
    }
    return [
      ("resource", text(resourceName)), ("resource_id", text(resourceID.description)),
      ("check_type", text(type)),
    ] + columns + [
      ("http_auth_credentials", secret(secrets.areMissing ? nil : secrets.credentials)),
      ("custom_headers", secret(secrets.areMissing ? nil : secrets.headers)),
    ]
  }

  /// Without user info and query, where keys are kept.
  private func shownURL(_ url: String) -> ShownValue {
    let shown = (try? HTTPURL(url)).map { parsed in
      (parsed.display + (parsed.query == nil ? "" : "?\(Redacted.mark)")).printable(maxBytes: 200)
    }
    return ShownValue(
      text: shown ?? "an unreadable url of \(url.utf8.count) bytes", secret: SecretJSON(.string(url)))
  }
}
