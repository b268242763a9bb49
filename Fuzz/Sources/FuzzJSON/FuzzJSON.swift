// SPDX-License-Identifier: MIT

@testable import Basics

/// A path and a document behind its first line: the path parser, the parser that builds a tree and the search that
/// builds none. What the two find must be the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let line = bytes.prefix { $0 != 0x0a }
  let document = Array(bytes[line.endIndex...].dropFirst())
  let text = String(decoding: line, as: UTF8.self)
  var paths: [JSONPath] = []
  if let root = try? JSONPath("$") { paths.append(root) }
  if let path = try? JSONPath(text) {
    precondition(path.description == text)
    precondition(path.segments.count <= line.count)
    paths.append(path)
  }
  search(paths, document)
  return 0
}

private func search(_ paths: [JSONPath], _ document: [UInt8]) {
  let parsed = Result { () throws(JSONError) in try JSONValue.parse(document) }
  let found = Result { () throws(JSONError) in try JSONSearch.find(paths, in: document) }
  switch (parsed, found) {
  case (.success(let value), .success(let findings)):
    for (path, finding) in zip(paths, findings) {
      switch finding {
      case .value(let place): precondition(path.value(in: value) == place)
      case .missing: precondition(path.value(in: value) == nil)
      case .tooLarge: precondition(document.count > JSONSearch.largestValue)
      case .ambiguous: preconditionFailure("no name stands twice in what the parser took")
      }
    }
    roundTrip(value)
  case (.failure(let error), .success):
    // The search minds twins on its way only, and steps over a byte order mark.
    precondition(error.message == "duplicate member name" || document.starts(with: [0xef, 0xbb, 0xbf]))
  case (.success, .failure): preconditionFailure("only the search fails")
  case (.failure(let error), .failure): precondition(error.offset <= document.count)
  }
}

private func roundTrip(_ value: JSONValue) {
  let text = value.text
  guard let again = try? JSONValue.parse(text.utf8) else { preconditionFailure("our own text is no JSON") }
  precondition(again == value && again.isSame(as: value) && value.isSame(as: again))
  precondition(again.text == text)
}
