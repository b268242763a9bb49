// SPDX-License-Identifier: MIT

/// Reads over the text before the YAML parser does, for what must not reach it.
///
/// Anchors, aliases and tags are found here, all at once and with their places, because the parser compares mapping
/// keys with their aliases expanded: a few hundred bytes could keep it busy for hours. Nesting is bounded here for the
/// same reason. The rules of tokens are those of YAML 1.1; a continuation line of a plain scalar that begins with one
/// of the marks is refused as well, and has to be quoted.
struct YAMLGuard {
  static let maxDepth = 32
  private static let maxFindings = 100

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var lineStart = 0
  private var flow = 0
  /// The byte column at which the last key or dash of this line began: what a block scalar is indented against.
  private var owner = -1
  private(set) var findings: [(position: Position, message: String, hint: String?)] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  static func findings(in text: String) -> [(position: Position, message: String, hint: String?)] {
    var scan = YAMLGuard(text)
    scan.run()
    return scan.findings
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }
  private func peek(_ offset: Int) -> UInt8? { index + offset < bytes.count ? bytes[index + offset] : nil }

  private mutating func find(_ message: String, hint: String? = nil) {
    let column = bytes[lineStart..<index].count { $0 & 0xc0 != 0x80 } + 1
    findings.append((Position(line: line, column: column), message, hint))
  }

  private mutating func newline() {
    index += 1
    line += 1
    lineStart = index
    owner = -1
  }

  private mutating func run() {
    indentation()
    // A file with so many is no configuration, and each finding costs a look back over its line.
    while let byte = current, findings.count < Self.maxFindings {
      switch byte {
      case UInt8(ascii: "\n"):
        newline()
        indentation()
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): index += 1
      case UInt8(ascii: "#"): skipLine()
      default: token(byte)
      }
    }
  }

  private mutating func indentation() {
    while current == UInt8(ascii: " ") { index += 1 }
    // Also on a line that is otherwise blank or a comment: the parser takes none there, in words nobody understands.
    if flow == 0, current == UInt8(ascii: "\t") { find("a tab cannot indent", hint: "use spaces") }
  }

  private mutating func skipLine() {
    while let byte = current, byte != UInt8(ascii: "\n") {
      index += 1
    }
  }

  private mutating func token(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"): mark(byte)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): quoted(byte)
    case UInt8(ascii: "["), UInt8(ascii: "{"): open()
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      flow = max(0, flow - 1)
      index += 1
    case UInt8(ascii: ","): index += 1
    case UInt8(ascii: "|") where flow == 0, UInt8(ascii: ">") where flow == 0: block()
    case UInt8(ascii: "%") where index == lineStart:
      find("directives are not accepted")
      skipLine()
    default: indicatorOrPlain(byte)
    }
  }

  private mutating func open() {
    flow += 1
    if flow == Self.maxDepth + 1 { find("nested deeper than \(Self.maxDepth) levels") }
    index += 1
  }

  private mutating func mark(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "&"):
      find("anchors are not accepted", hint: "write the value out, or quote a text that begins with &")
    case UInt8(ascii: "*"):
      find("aliases are not accepted", hint: "write the value out, or quote a text that begins with *")
    default: find("tags are not accepted", hint: "leave it out, or quote a text that begins with !")
    }
    while let next = current, next > 0x20, !(flow > 0 && isFlowMark(next)) { index += 1 }
  }

  private mutating func quoted(_ quote: UInt8) {
    begin()
    index += 1
    while let byte = current {
      if byte == UInt8(ascii: "\n") {
        let kept = owner
        newline()
        owner = kept
      } else if quote == UInt8(ascii: "\""), byte == UInt8(ascii: "\\"), peek(1) != UInt8(ascii: "\n") {
        index += 2
      } else if byte == quote {
        index += 1
        guard quote == UInt8(ascii: "'"), current == quote else { return }
        index += 1
      } else {
        index += 1
      }
    }
  }

  private mutating func begin() { owner = index - lineStart }

  private mutating func indicatorOrPlain(_ byte: UInt8) {
    let isIndicator = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: ":")
    if isIndicator, endsIndicator(peek(1)) {
      if byte != UInt8(ascii: ":") { begin() }
      index += 1
      return
    }
    begin()
    while let next = current, next != UInt8(ascii: "\n") {
      if next == UInt8(ascii: ":"), endsIndicator(peek(1)) { return }
      if flow > 0, isFlowMark(next) { return }
      if next == UInt8(ascii: "#"), index > lineStart, bytes[index - 1] == 0x20 || bytes[index - 1] == 0x09 {
        return
      }
      index += 1
    }
  }

  private func endsIndicator(_ byte: UInt8?) -> Bool {
    guard let byte else { return true }
    return byte <= 0x20 || flow > 0 && isFlowMark(byte)
  }

  /// A literal or folded scalar: every following line that is blank or indented deeper than its owner is text.
  private mutating func block() {
    let parent = owner
    skipLine()
    while current != nil {
      let next = index + 1
      var first = next
      while first < bytes.count, bytes[first] == 0x20 { first += 1 }
      let isBlank = first >= bytes.count || bytes[first] == UInt8(ascii: "\n") || bytes[first] == 0x0d
      guard isBlank || first - next > parent else { return }
      newline()
      skipLine()
    }
  }
}

private func isFlowMark(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ","): true
  default: false
  }
}
