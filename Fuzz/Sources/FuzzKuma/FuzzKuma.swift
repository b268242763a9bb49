// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Import

/// The pages of a database as Uptime Kuma's. Whatever is in them: it is read or refused in words, and what is read is on
/// the books.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let magic = Array("SQLite format 3\0".utf8)
  guard bytes.count > 100 else { return 0 }
  bytes.replaceSubrange(..<magic.count, with: magic)
  do throws(ImportProblem) {
    let made = try Importer.read(nil, [ImportFile(name: "f", bytes: bytes)])
    precondition(made.format == .uptimeKuma)
    precondition(made.carried + made.listed == made.total && made.checks.count <= ForeignLimits.checks)
    var yaml = AgentYAML(secrets: .environment)
    precondition(!yaml.render(made.checks, head: made.notes.map(\.place)).contains("\0"))
  } catch {
    precondition(error.message.hasPrefix("f: ") && !error.message.hasControlCharacter)
  }
  return 0
}
