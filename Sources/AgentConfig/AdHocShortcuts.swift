// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Keys of a check as options of their own, called as curl(1) calls them, for targets on the command line.
package struct AdHocShortcuts: Sendable {
  /// Each `Name: value`, or `Name;` for an empty one. The values are secrets, and may hold references.
  package var headers: [String] = []
  package var method: String?
  /// Parts of a body, joined by `&`; or one that begins with `@`, and names a file.
  package var data: [String] = []
  /// A certificate is noted, not judged.
  package var isInsecure = false
  /// With a unit.
  package var timeout: String?
  package var retries: Int?

  package init() {}

  package var isEmpty: Bool { names.isEmpty }

  /// The given options, as they are written on a command line.
  package var names: [String] { requestNames + (isInsecure ? ["-k"] : []) + planNames }

  /// Those that only a request of HTTP has.
  private var requestNames: [String] {
    [headers.isEmpty ? nil : "-H", method == nil ? nil : "-X", data.isEmpty ? nil : "-d"].compactMap(\.self)
  }

  private var planNames: [String] {
    [timeout == nil ? nil : "--timeout", retries == nil ? nil : "--retries"].compactMap(\.self)
  }

  /// For problems with a key that one of them gave.
  var hint: String? { isEmpty ? nil : Self.all }

  static let all =
    "-H, -X, -d, -k, --timeout and --retries are the keys headers, method, body, tls, timeout and retries"

  /// Empty where there is nothing.
  ///
  /// - Parameter type: of the target; `nil` for an unknown word, which is reported elsewhere.
  /// - Throws: for an option that the type does not have.
  func keys(of type: CheckType?, _ target: String) throws(AdHocTargetError) -> [AdHocKeys.Entry] {
    guard let type else { return [] }
    try refuse(for: type, target)
    var keys: [AdHocKeys.Entry] = []
    if let method { keys.append(AdHocKeys.Entry("method", flowScalar(method))) }
    if !data.isEmpty {
      if method == nil { keys.append(AdHocKeys.Entry("method", "POST")) }
      keys.append(try body())
    }
    if !headers.isEmpty { keys.append(AdHocKeys.Entry("headers", "{\(try fields())}")) }
    if isInsecure { keys.append(AdHocKeys.Entry("tls", "{verify: false}")) }
    if let timeout {
      // Without quotes, as the file has it, unless that would mean something else.
      let isPlain =
        !timeout.isEmpty && timeout.utf8.allSatisfy { isTokenByte($0) && !"#&*!%'`|".utf8.contains($0) }
      keys.append(AdHocKeys.Entry("timeout", isPlain ? timeout : flowScalar(timeout)))
    }
    if let retries { keys.append(AdHocKeys.Entry("retries", String(retries))) }
    return keys
  }

  private func refuse(for type: CheckType, _ target: String) throws(AdHocTargetError) {
    let shown = withoutLogin(target).prefix { $0 != "?" && $0 != "#" }.description.printable(maxBytes: 200)
    if type != .http, let name = requestNames.first {
      throw AdHocTargetError(
        message: "\(name) goes with http targets, and \(shown) is a \(type.rawValue) target",
        hint: "leave \(name) out, or ask that target in a command of its own")
    }
    if type == .tcp || type == .ping, isInsecure {
      throw AdHocTargetError(
        message: "-k goes with https and tls targets, and \(shown) is a \(type.rawValue) target",
        hint: type == .tcp ? "TLS on its connection: --with 'tls: {verify: false}'" : "leave -k out")
    }
  }

  private func body() throws(AdHocTargetError) -> AdHocKeys.Entry {
    guard let file = data.first(where: { $0.hasPrefix("@") }) else {
      return AdHocKeys.Entry("body", flowScalar(data.joined(separator: "&")))
    }
    let path = file.dropFirst()
    guard data.count == 1, !path.isEmpty else {
      throw AdHocTargetError(
        message: path.isEmpty
          ? "-d @ names no file" : "-d @\(String(path).printable(maxBytes: 200)) goes alone",
        hint: "one file is the whole body: -d @body.json")
    }
    return AdHocKeys.Entry("body_file", flowScalar(String(path)))
  }

  /// Nothing of a value is in a message: it may be a password.
  private func fields() throws(AdHocTargetError) -> String {
    var fields: [String] = []
    for (index, header) in headers.enumerated() {
      guard let end = header.firstIndex(where: { $0 == ":" || $0 == ";" }), end != header.startIndex else {
        throw AdHocTargetError(message: "-H number \(index + 1) has no name and colon", hint: Self.usage)
      }
      let name = String(header[..<end])
      let value = header[header.index(after: end)...].drop { $0 == " " || $0 == "\t" }
      if header[end] == ":" ? value.isEmpty : !value.isEmpty {
        throw AdHocTargetError(
          message: "-H \"\(name.printable(maxBytes: 60))\" has no \(header[end] == ":" ? "value" : "colon")",
          hint: header[end] == ":"
            ? "an empty value is written -H '\(name.printable(maxBytes: 60));'" : Self.usage)
      }
      fields.append("\(flowScalar(name)): \(flowScalar(String(value), resolves: true))")
    }
    return fields.joined(separator: ", ")
  }

  private static let usage =
    "-H 'Accept: text/html', or with a secret: -H 'Authorization: Bearer ${env:TOKEN}'"

  /// A body from -d is a form, as with curl, unless its content type is given.
  func typed(_ check: MonitoringCheck) -> MonitoringCheck {
    guard !data.isEmpty, case .http(let http) = check.kind, http.headers.first("content-type") == nil else {
      return check
    }
    return check.adding(HeaderField("Content-Type", "application/x-www-form-urlencoded"))
  }
}
