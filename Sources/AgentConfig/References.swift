// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How `${cred:NAME}` is resolved where CREDENTIALS_DIRECTORY is not set.
package enum CredentialRule: Sendable {
  case needed
  /// Missing credentials are reported in `LoadedConfig.unread`: a shell command reads the configuration of a service.
  case ofTheService
}

/// Resolves `${env:NAME}`, `${file:path}` and `${cred:NAME}` in a value. `$${` is a literal `${`; what a
/// reference yields is not looked at again.
struct References: Sendable {
  var environment: [String: String]
  var files: SecretFiles
  /// Base of relative paths: the directory of the configuration file.
  var base: String
  var credentials = CredentialRule.needed

  struct Resolved: Sendable {
    var text: String
    /// The text of each secret file.
    var secrets: [String] = []
    var isSecret: Bool { !secrets.isEmpty }
    /// The value of each variable of the environment.
    var fromEnvironment: [String] = []
    var usesEnvironment: Bool { !fromEnvironment.isEmpty }
    /// Set when the text is one file reference and nothing else.
    var sourceFile: String?
    var hasReference = false
    /// About files; each message begins with the file's name.
    var warnings: [SecretFiles.Note] = []
  }

  /// - Throws: what is wrong, in words that follow the key.
  func resolve(_ text: String) throws(SecretFiles.Note) -> Resolved {
    guard hasDollar(text) else { return Resolved(text: text) }
    var resolved = Resolved(text: "")
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      resolved.text += rest[..<dollar]
      rest = rest[dollar...]
      if rest.hasPrefix("$${") {
        resolved.text += "${"
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix("${") {
        guard let close = rest.firstIndex(of: "}") else {
          throw SecretFiles.Note("has a ${ without its }", hint: "write $${ for a literal ${")
        }
        let inner = rest[rest.index(rest.startIndex, offsetBy: 2)..<close]
        rest = rest[rest.index(after: close)...]
        try substitute(inner, in: &resolved)
        if inner.utf8.count + 3 != text.utf8.count { resolved.sourceFile = nil }
      } else {
        resolved.text.append("$")
        rest = rest.dropFirst()
      }
    }
    resolved.text += rest
    return resolved
  }

  private func substitute(_ inner: Substring, in resolved: inout Resolved) throws(SecretFiles.Note) {
    resolved.hasReference = true
    let parts = inner.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let argument = parts.count == 2 ? String(parts[1]) : ""
    switch (parts[0], argument.isEmpty) {
    case ("env", false):
      guard let value = environment[argument] else {
        throw SecretFiles.Note("needs the environment variable \(quoted(argument)), which is not set")
      }
      resolved.text += value
      resolved.fromEnvironment.append(value)
    case ("file", false): try file(absolute(argument), in: &resolved)
    case ("cred", false): try file(credential(argument), in: &resolved)
    case ("host", true) where parts.count == 1:
      throw SecretFiles.Note(
        "has a ${host}, but the check has no hosts", hint: "give it hosts: [a.example, b.example]")
    default:
      // Not repeated: in a password it would be a piece of the password.
      throw SecretFiles.Note(
        "has an unknown reference behind ${",
        hint: "${env:NAME}, ${file:path} or ${cred:NAME}; write $${ for a literal ${")
    }
  }

  private func file(_ path: String, in resolved: inout Resolved) throws(SecretFiles.Note) {
    do {
      let contents = try files.read(path)
      resolved.text += contents.text
      resolved.secrets.append(contents.text)
      resolved.sourceFile = path
      resolved.warnings += contents.warnings.map {
        SecretFiles.Note("\(quoted(path)) \($0.message)", hint: $0.hint)
      }
    } catch {
      throw SecretFiles.Note("needs the file \(quoted(path)), which \(error.message)", hint: error.hint)
    }
  }

  private func credential(_ name: String) throws(SecretFiles.Note) -> String {
    guard !name.contains("/"), name != ".", name != ".." else {
      throw SecretFiles.Note("has the credential name \(quoted(name)), which is no plain name")
    }
    if let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") {
      return "\(directory)/\(name)"
    }
    let isElsewhere = credentials == .ofTheService
    var note = SecretFiles.Note(
      isElsewhere
        ? "is the credential \(quoted(name)), which the service alone has: it was not looked at"
        : "needs the credential \(quoted(name)), but CREDENTIALS_DIRECTORY is not set",
      hint: "${cred:} works in a systemd service with LoadCredential=\(name.printable(maxBytes: 60)):…")
    note.credential = isElsewhere ? name : nil
    throw note
  }

  /// A path of the file's, as seen from the working directory.
  func absolute(_ path: String) -> String { path.hasPrefix("/") || base == "." ? path : "\(base)/\(path)" }
}

/// Asked of every value, nearly all of which have none.
private func hasDollar(_ text: String) -> Bool {
  for byte in text.utf8 where byte == UInt8(ascii: "$") { return true }
  return false
}
