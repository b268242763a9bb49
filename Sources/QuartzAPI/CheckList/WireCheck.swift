// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One row of `GET /monitoring-checks`, as the table has it: typed, not judged.
///
/// Only the columns the agent uses are read; the backend may add others. A column of the wrong type cannot come from
/// the table, so it refuses the whole list. The JSON columns may hold anything: they are judged per check.
package struct WireCheck: Hashable, Sendable {
  package var id: UniqueID
  package var resourceID: UniqueID
  /// Of the embedded `resources` row.
  package var resourceName: String?
  /// Kept as text: a type we do not know is a skipped check, not a broken list.
  package var type: String
  package var isEnabled: Bool
  /// Values of the columns, in their order. `nil` for null, or for an absent column.
  private var values: [WireValue?]

  /// The columns that keys of a check have their values from, as their declarations name them, and what says how two
  /// of these are meant. In the order in which they are written and shown.
  static let columns: [(name: String, isText: Bool)] = [
    ("url", true), ("ip_address", true), ("port", false), ("expected_status_code", false),
    ("check_interval_seconds", false), ("timeout_seconds", false), ("keyword_value", true),
    ("keyword_type", true), ("http_method", true), ("http_auth_type", true), ("retry_count", false),
    ("retry_delay_ms", false), ("confirmation_delay_ms", false),
  ]

  /// By column.
  subscript(column: String) -> WireValue? {
    get { Self.columns.firstIndex { $0.name == column }.flatMap { values[$0] } }
    set { if let index = Self.columns.firstIndex(where: { $0.name == column }) { values[index] = newValue } }
  }

  /// May hold keys, so it is not shown whole.
  package var url: String? {
    get { self["url"]?.text }
    set { self["url"] = newValue.map(WireValue.text) }
  }

  package var secrets: Secrets

  /// `http_auth_credentials` and `custom_headers`.
  package struct Secrets: Hashable, Sendable {
    /// `nil` when there are none.
    package var credentials: SecretJSON?
    package var headers: SecretJSON?
    /// Left out when the list was written to disk, or the url's query was: the check cannot run as it was meant.
    package var areMissing = false

    package init(credentials: SecretJSON? = nil, headers: SecretJSON? = nil, areMissing: Bool = false) {
      self.credentials = credentials
      self.headers = headers
      self.areMissing = areMissing
    }

    package var isEmpty: Bool { credentials == nil && headers == nil }
  }
}

/// A JSON value that is not printed.
package struct SecretJSON: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  private let value: JSONValue

  package init(_ value: JSONValue) { self.value = value }

  package func reveal() -> JSONValue { value }

  package var description: String { Redacted.mark }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a list was refused: where and what. Values are not repeated, they may be secrets.
package struct WireCheckError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

/// Value of a column.
enum WireValue: Hashable, Sendable {
  case text(String)
  /// 32 bits in the table.
  case number(Int)

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Int? { if case .number(let number) = self { number } else { nil } }
}

extension WireCheck {
  package init(_ json: JSONValue) throws(WireCheckError) {
    let row = WireRowReader(json)
    guard json.members != nil else { throw WireCheckError(description: "a check is no object") }
    self.id = try row.id("id")
    self.resourceID = try row.id("resource_id")
    self.resourceName = try json["resources"].flatMap { $0.isNull ? nil : WireRowReader($0) }?.text("name")
    guard let type = try row.text("check_type") else { throw row.error("check_type") }
    self.type = type
    guard let isEnabled = json["is_enabled"]?.bool else { throw row.error("is_enabled") }
    self.isEnabled = isEnabled
    self.values = []
    for (name, isText) in Self.columns {
      values.append(try isText ? row.text(name).map(WireValue.text) : row.integer(name).map(WireValue.number))
    }
    self.secrets = Secrets(
      credentials: row.secret("http_auth_credentials"), headers: row.secret("custom_headers"),
      areMissing: json["agent_secrets_missing"]?.bool ?? false)
  }

  /// The check as a list on disk without secrets has it: it says that they are missing.
  var withoutSecrets: WireCheck {
    var kept = self
    kept.url = url?.withoutSecrets
    kept.secrets = Secrets(areMissing: secrets.areMissing || !secrets.isEmpty || url?.hasQuery ?? false)
    return kept
  }

  /// The row again, for the list on disk. Without the secrets unless they are wanted.
  package func write(into json: inout JSONWriter, withSecrets: Bool) {
    guard withSecrets else { return withoutSecrets.write(into: &json, withSecrets: true) }
    json.object { json in
      json.field("id", id.description)
      json.field("resource_id", resourceID.description)
      if let resourceName {
        json.key("resources")
        json.object { $0.field("name", resourceName) }
      }
      json.field("check_type", type)
      json.field("is_enabled", isEnabled)
      for (column, value) in zip(Self.columns, values) {
        guard let value else { continue }
        json.key(dynamic: column.name)
        switch value {
        case .text(let text): json.string(text)
        case .number(let number): json.integer(number)
        }
      }
      if let credentials = secrets.credentials {
        json.member("http_auth_credentials", credentials.reveal())
      }
      if let headers = secrets.headers { json.member("custom_headers", headers.reveal()) }
      if secrets.areMissing { json.field("agent_secrets_missing", true) }
    }
  }
}

/// Reads the columns of one row by their SQL types; a missing column is a null one.
private struct WireRowReader {
  let json: JSONValue

  init(_ json: JSONValue) { self.json = json }

  func error(_ column: String) -> WireCheckError {
    let id = json["id"]?.uniqueID
    let check = id.map { "check \($0)" } ?? "a check"
    return WireCheckError(description: "\(check) has a \(column) of the wrong type")
  }

  func id(_ column: String) throws(WireCheckError) -> UniqueID {
    guard let id = try text(column).flatMap({ UniqueID($0) }) else { throw error(column) }
    return id
  }

  func text(_ column: String) throws(WireCheckError) -> String? {
    guard let value = json[column], !value.isNull else { return nil }
    guard let text = value.string else { throw error(column) }
    return text
  }

  func integer(_ column: String) throws(WireCheckError) -> Int? {
    guard let value = json[column], !value.isNull else { return nil }
    guard let number = value.integer.flatMap(Int32.init(exactly:)) else { throw error(column) }
    return Int(number)  // bounded: a column of 32 bits
  }

  func secret(_ column: String) -> SecretJSON? {
    guard let value = json[column], !value.isNull else { return nil }
    return SecretJSON(value)
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ value: JSONValue) {
    key(name)
    self.value(value)
  }

  /// A parsed value, as it was.
  fileprivate mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let flag): bool(flag)
    case .number(let digits): raw(digits)
    case .string(let text): string(text)
    case .array(let elements): array { json in for element in elements { json.value(element) } }
    case .object(let members):
      object { json in
        for member in members {
          json.key(dynamic: member.name)
          json.value(member.value)
        }
      }
    }
  }
}

extension String {
  /// The url without its query, where keys are kept, and without what never leaves this machine, the fragment. User
  /// info is no part of a url that a check may have; the list has it all the same, and it may be a password. The
  /// replacement keeps the url as refused as it was.
  ///
  /// By bytes: a mark behind the `?` would make another character of it.
  fileprivate var withoutSecrets: String {
    let bytes = utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let scheme = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let start = bytes.index(scheme, offsetBy: 3)
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(decoding: bytes[..<start], as: UTF8.self) + Redacted.mark  // bounded: texts
      + String(decoding: bytes[at...], as: UTF8.self)
  }

  fileprivate var hasQuery: Bool {
    utf8.first { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } == UInt8(ascii: "?")
  }
}
