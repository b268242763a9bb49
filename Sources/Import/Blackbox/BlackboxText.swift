// SPDX-License-Identifier: MIT

import Basics

extension BlackboxModule {
  /// Modules as YAML, as far as they are written, without their secrets.
  package static func text(of modules: [BlackboxModule]) -> String {
    guard !modules.isEmpty else { return "modules: {}\n" }
    return modules.reduce(into: "modules:\n") { text, module in
      text += MaskedYAML(module.node, named: module.name, indent: 2).text
    }
  }
}

/// A value and what is inside it, in block style.
private struct MaskedYAML {
  private(set) var text = ""

  init(_ node: ForeignNode, named name: String, indent: Int, isSecret: Bool = false) {
    text = String(repeating: " ", count: indent) + AgentYAML.quoted(name, always: false, isKey: true) + ":"
    write(node, name, indent, isSecret: isSecret)
  }

  private mutating func write(_ node: ForeignNode, _ name: String, _ indent: Int, isSecret: Bool) {
    switch node.content {
    case .scalar where node.bytes != nil:
      text += isSecret ? " <secret>\n" : " !!binary \(Base64.text(node.bytes ?? []))\n"
    case .scalar(let value, let isPlain): text += " " + Self.scalar(value, isPlain, isSecret) + "\n"
    case .map(let entries) where entries.isEmpty: text += " {}\n"
    case .list(let items) where items.isEmpty: text += " []\n"
    case .map(let entries):
      text += "\n"
      for entry in entries {
        text +=
          MaskedYAML(
            entry.value, named: entry.name, indent: indent + 2,
            isSecret: Self.isSecret(entry.name, below: name, isSecret)
          ).text
      }
    case .list(let items):
      text += "\n"
      for item in items {
        text += String(repeating: " ", count: indent) + "-"
        write(item, name, indent, isSecret: isSecret)
      }
    }
  }

  /// Values of headers are secrets by the header's name, others by their own. A file is none.
  private static func isSecret(_ name: String, below outer: String, _ isSecret: Bool) -> Bool {
    if name == "files" || ["_file", "_url", "_ref"].contains(where: { name.hasSuffix($0) }) { return false }
    if isSecret || name == "secrets" { return true }
    // Of a login the name is shown.
    guard !["basic_auth", "authorization"].contains(name) || outer.hasSuffix("headers") else { return false }
    return CredentialNames.contains(name) || name == "credentials"
  }

  private static func scalar(_ value: String, _ isPlain: Bool, _ isSecret: Bool) -> String {
    let hasUser = value.contains("://") && ForeignURL(value).username != nil
    if !value.isEmpty, isSecret || hasUser || CredentialNames.areGiven(in: value) { return "<secret>" }
    let isWord =
      !value.isEmpty
      && value.utf8.allSatisfy { byte in
        GoPatternParser.word.contains(UInt32(byte)) || "-./".utf8.contains(byte)
      }
    return isPlain && isWord && !value.hasPrefix("-") ? value : AgentYAML.quoted(value, always: false)
  }
}
