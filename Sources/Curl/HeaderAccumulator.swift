// SPDX-License-Identifier: MIT

/// Takes the header lines of an answer one by one and holds the limits that libcurl does not have. Pure.
struct HeaderAccumulator {
  /// Over all lines of an answer, interim answers and trailers included.
  static let maximumBytes = 64 * 1024
  static let maximumLines = 200
  static let maximumInterim = 20

  enum Step: Hashable {
    case more
    /// The headers of the final answer are complete.
    case final
    case tooLarge
    case malformed
  }

  private(set) var statusCode: Int?
  private(set) var httpVersion: String?
  private(set) var fields: [HeaderField] = []
  private var bytes = 0
  private var lines = 0
  private var interim = 0
  private var complete = false

  var isRedirect: Bool {
    guard let statusCode, [301, 302, 303, 307, 308].contains(statusCode) else { return false }
    return fields.contains { $0.name.lowercased() == "location" }
  }

  /// - Parameter line: one line with its end, as libcurl hands it over.
  mutating func take(_ line: some Collection<UInt8>) -> Step {
    bytes += line.count
    lines += 1
    if bytes > Self.maximumBytes || lines > Self.maximumLines { return .tooLarge }
    var content = Array(line)
    if content.last == UInt8(ascii: "\n") { content.removeLast() }
    if content.last == UInt8(ascii: "\r") { content.removeLast() }
    if content.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }) { return .malformed }
    // What follows the final answer's headers are trailers: counted above, not kept.
    if complete { return .more }
    if content.isEmpty { return endOfBlock() }
    if content.starts(with: "HTTP/".utf8) { return startBlock(content) }
    return field(content)
  }

  private mutating func startBlock(_ content: [UInt8]) -> Step {
    let parts = content.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: true)
    guard parts.count >= 2, parts[1].count == 3, let code = Int(String(decoding: parts[1], as: UTF8.self)),
      (100...999).contains(code)
    else { return .malformed }
    statusCode = code
    httpVersion = String(decoding: parts[0].dropFirst(5), as: UTF8.self)
    fields = []
    return .more
  }

  private mutating func endOfBlock() -> Step {
    guard let statusCode else { return .malformed }
    guard (100...199).contains(statusCode), statusCode != 101 else {
      complete = true
      return .final
    }
    interim += 1
    return interim > Self.maximumInterim ? .tooLarge : .more
  }

  private mutating func field(_ content: [UInt8]) -> Step {
    // A folded line (RFC 9112 section 5.2 lets a client refuse it), or no name.
    guard let colon = content.firstIndex(of: UInt8(ascii: ":")), colon > 0, statusCode != nil,
      content[0] != UInt8(ascii: " "), content[0] != UInt8(ascii: "\t")
    else { return .malformed }
    let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let value = content[(colon + 1)...].drop(while: blank).reversed().drop(while: blank).reversed()
    fields.append(
      HeaderField(String(decoding: content[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
    return .more
  }
}
