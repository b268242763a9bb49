// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Import

/// A file of another monitor; the first byte chooses which. It is read or refused in words, each value is carried or listed,
/// and what is written has every name on the line of its own.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let format = ImportFormat.allCases[Int(bytes[0]) % ImportFormat.allCases.count]
  let file = ImportFile(name: "f", bytes: Array(bytes.dropFirst()))
  // A database is FuzzKuma's.
  guard !file.isDatabase else { return 0 }
  _ = ImportFormat(looking: file)
  do throws(ImportProblem) {
    let made = try Importer.read(format, [file])
    precondition(made.carried + made.listed == made.total && made.checks.count <= ForeignLimits.checks)
    precondition(Set(made.checks.map { ByteText($0.name) }).count == made.checks.count)
    var yaml = AgentYAML(secrets: .environment)
    let text = yaml.render(
      ImportedCheck.linked(made.checks), sections: made.sections,
      head: made.notes.map { "\($0.place): \($0.why)" })
    let names = text.utf8.split(separator: 0x0a).count { $0.starts(with: "  - name: ".utf8) }
    precondition(names == made.checks.count && !text.contains("\0"))
    precondition(Set(yaml.values.map { ByteText($0.name) }).count == yaml.values.count)
  } catch {
    precondition(!error.message.isEmpty && !error.message.hasControlCharacter)
  }
  return 0
}
