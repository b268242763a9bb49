// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One row of `GET /monitoring-checks`, as the table has it: typed, not judged.
///
/// Only the columns the agent uses are read; the backend may add others. A column of the wrong type cannot come from
/// the table, so it refuses the whole list. The JSON columns hold whatever somebody typed: they are judged per check.
package struct WireCheck: Hashable, Sendable {
  package var id: UniqueID
  package var resourceID: UniqueID
  /// Of the embedded `resources` row.
  package var resourceName: String?
  /// Kept as text: a type we do not know is a skipped check, not a broken list.
  package var type: String
  package var url: String?
  /// May be a host name.
  package var ipAddress: String?
  package var port: Int64?
  package var expectedStatusCode: Int64?
  package var intervalSeconds: Int64?
  package var timeoutSeconds: Int64?
  package var isEnabled: Bool
  package var keyword: String?
  package var keywordType: String?
  package var method: String?
  package var authType: String?
  package var retryCount: Int64?
  package var retryDelayMilliseconds: Int64?
  package var confirmationDelayMilliseconds: Int64?
  package var secrets: Secrets

  /// `http_auth_credentials` and `custom_headers`.
  package struct Secrets: Hashable, Sendable {
    /// Nil when there are none.
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

extension WireCheck {
  package init(_ json: JSONValue) throws(WireCheckError) {
    let row = WireRowReader(json)
    guard json.members != nil else { throw WireCheckError(description: "a check is no object") }
    self.id = try row.id("id")
    self.resourceID = try row.id("resource_id")
    self.resourceName = try json["resources"].flatMap { $0.isNull ? nil : WireRowReader($0) }?.text("name")
    guard let type = try row.text("check_type") else { throw row.error("check_type") }
    self.type = type
    self.url = try row.text("url")
    self.ipAddress = try row.text("ip_address")
    self.port = try row.integer("port")
    self.expectedStatusCode = try row.integer("expected_status_code")
    self.intervalSeconds = try row.integer("check_interval_seconds")
    self.timeoutSeconds = try row.integer("timeout_seconds")
    guard let isEnabled = json["is_enabled"]?.bool else { throw row.error("is_enabled") }
    self.isEnabled = isEnabled
    self.keyword = try row.text("keyword_value")
    self.keywordType = try row.text("keyword_type")
    self.method = try row.text("http_method")
    self.authType = try row.text("http_auth_type")
    self.retryCount = try row.integer("retry_count")
    self.retryDelayMilliseconds = try row.integer("retry_delay_ms")
    self.confirmationDelayMilliseconds = try row.integer("confirmation_delay_ms")
    self.secrets = Secrets(
      credentials: row.secret("http_auth_credentials"), headers: row.secret("custom_headers"),
      areMissing: json["agent_secrets_missing"]?.bool ?? false)
  }

  /// The row again, for the list on disk. Without the secrets unless they are wanted; then it says that they are
  /// missing.
  package func write(into json: inout JSONWriter, withSecrets: Bool) {
    json.object { json in
      json.field("id", id.description)
      json.field("resource_id", resourceID.description)
      if let resourceName {
        json.key("resources")
        json.object { $0.field("name", resourceName) }
      }
      json.field("check_type", type)
      json.fieldIfPresent("url", withSecrets ? url : url?.withoutSecrets)
      json.fieldIfPresent("ip_address", ipAddress)
      json.fieldIfPresent("port", port)
      json.fieldIfPresent("expected_status_code", expectedStatusCode)
      json.fieldIfPresent("check_interval_seconds", intervalSeconds)
      json.fieldIfPresent("timeout_seconds", timeoutSeconds)
      json.field("is_enabled", isEnabled)
      json.fieldIfPresent("keyword_value", keyword)
      json.fieldIfPresent("keyword_type", keywordType)
      json.fieldIfPresent("http_method", method)
      json.fieldIfPresent("http_auth_type", authType)
      json.fieldIfPresent("retry_count", retryCount)
      json.fieldIfPresent("retry_delay_ms", retryDelayMilliseconds)
      json.fieldIfPresent("confirmation_delay_ms", confirmationDelayMilliseconds)
      if withSecrets {
        if let credentials = secrets.credentials {
          json.member("http_auth_credentials", credentials.reveal())
        }
        if let headers = secrets.headers { json.member("custom_headers", headers.reveal()) }
      }
      if secrets.areMissing || (!withSecrets && (!secrets.isEmpty || url?.hasQuery ?? false)) {
        json.field("agent_secrets_missing", true)
      }
    }
  }
}

/// Reads the columns of one row by their SQL types; a missing column is a null one.
private struct WireRowReader {
  let json: JSONValue

  init(_ json: JSONValue) { self.json = json }

  func error(_ column: String) -> WireCheckError {
    let id = json["id"]?.string.flatMap { UniqueID($0) }
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

  func integer(_ column: String) throws(WireCheckError) -> Int64? {
    guard let value = json[column], !value.isNull else { return nil }
    guard let number = value.integer, Int32(exactly: number) != nil else { throw error(column) }
    return number
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
  /// info is no part of a url that a check may have; the list has it all the same, and it may be a password. What
  /// stands there instead keeps the url as refused as it was.
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
