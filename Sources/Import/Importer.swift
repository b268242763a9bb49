// SPDX-License-Identifier: MIT

import Basics

/// Whose configuration it is.
package enum ImportFormat: String, CaseIterable, Sendable {
  case blackbox, gatus
  case uptimeKuma = "uptime-kuma"
  case nagios, cloudprober, checkly, icinga2, upptime, telegraf, smokeping
}

/// A file to import, read whole.
package struct ImportFile: Sendable {
  /// As messages call it.
  package var name: String
  package var bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  /// Why nothing can be recognised in it; `nil` where it is a text of an unknown format.
  var obstacle: String? {
    if bytes.allSatisfy({ $0 <= 0x20 }) { return "is empty" }
    if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      return "is in UTF-16: convert it to UTF-8"
    }
    if bytes.count > ForeignLimits.bytes { return "is larger than 16 MiB" }
    // Sections of other texts begin with brackets, too.
    let start = Array(bytes.lazy.filter { $0 > 0x20 }.prefix(2))
    guard start == Array("{\"".utf8) || start == Array("[{".utf8) else { return nil }
    do throws(ImportProblem) { _ = try ForeignNode.json(bytes) } catch {
      return "unknown format, and \(error.message)"
    }
    return nil
  }

  /// A note where it is in another encoding than those that are read.
  var misspelt: ImportNote? {
    guard !isDatabase, String(validating: bytes, as: UTF8.self) == nil else { return nil }
    return ImportNote(
      place: name.printable(maxBytes: 120),
      why: "it is not in UTF-8, so U+FFFD is written for letters that are not ASCII: convert the file",
      change: .changed)
  }

  var isDatabase: Bool { bytes.starts(with: Array("SQLite format 3\0".utf8)) }
}

/// Result of an import.
package struct Imported: Sendable {
  package var format: ImportFormat
  /// Names are unique and fit.
  package var checks: [ImportedCheck]
  /// Channels, rules, maintenance windows and the public page.
  package var sections = ImportedSections()
  /// Values that were not carried and belong to no check.
  package var notes: [ImportNote]
  /// Entries that did not become checks: name and reason.
  package var leftOut: [LeftOut] = []
  /// Values in the files.
  package var total: Int
  /// Values that are in the new file.
  package var carried: Int
  package var listed: Int { total - carried }
}

/// From other monitors' files to checks. Reads nothing but the bytes it is given.
package enum Importer {
  /// - Parameter format: nil: what the files look like.
  /// - Throws: what makes a file unusable; its words begin with the file's name.
  package static func read(_ format: ImportFormat?, _ files: [ImportFile]) throws(ImportProblem) -> Imported {
    guard let first = files.first else { throw ImportProblem("no file was given") }
    guard
      let format = format ?? ImportFormat(looking: first)
        ?? files.lazy.compactMap(ImportFormat.init(looking:)).first
    else {
      throw ImportProblem(
        "\(first.name.printable(maxBytes: 300)): "
          + (ForeignProgram.name(of: first).map { "a configuration of \($0), which is not read here" }
            ?? first.obstacle ?? "unknown format"),
        hint: "name the format: \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let ledger = Ledger()
    var checks: [ImportedCheck] = []
    switch format {
    case .blackbox:
      checks = try named(files) { () throws(ImportProblem) in try BlackboxImport(ledger).read(files) }
    case .gatus: checks = try GatusImport(ledger).read(files)
    case .uptimeKuma: for file in files { checks += try KumaImport(ledger).read(file) }
    case .nagios:
      checks = try named(files) { () throws(ImportProblem) in try NagiosImport(ledger).read(files) }
    case .cloudprober: for file in files { checks += try CloudproberImport(ledger).read(file) }
    case .icinga2:
      checks = try named(files) { () throws(ImportProblem) in try IcingaImport(ledger).read(files) }
    case .upptime: for file in files { checks += try UpptimeImport(ledger).read(file) }
    case .telegraf: checks = try TelegrafImport(ledger).read(files)
    case .smokeping:
      checks = try named(files) { () throws(ImportProblem) in try SmokepingImport(ledger).read(files) }
    case .checkly: for file in files { checks += try ChecklyImport(ledger).read(file) }
    }
    ledger.close()
    var names = FreeNames()
    for index in checks.indices { checks[index].keepOneLogin(prefersURL: format == .uptimeKuma) }
    checks = named(checks, &names)
    var sections = ledger.sections
    ImportedDiscovery.name(&sections.discover, beside: checks)
    for index in sections.discover.indices {
      let targets = sections.discover[index].targets
      for (place, check) in named(targets.map(\.check), &names).enumerated() {
        sections.discover[index].targets[place].check = check
      }
    }
    return Imported(
      format: format, checks: checks, sections: sections,
      notes: files.compactMap(\.misspelt) + ledger.general,
      leftOut: ledger.leftOut, total: ledger.total, carried: ledger.carried)
  }

  /// A problem of sources that are read from all files at once names the file, where there is one only.
  private static func named<Value>(
    _ files: [ImportFile], _ body: () throws(ImportProblem) -> Value
  ) throws(ImportProblem) -> Value {
    do { return try body() } catch {
      let isNamed = files.contains { error.message.hasPrefix("\($0.name.printable(maxBytes: 300)): ") }
      throw isNamed || files.count > 1 ? error : error.of(files[0])
    }
  }

  /// Names that agent.yaml takes: printable, at most 200 bytes, each only once.
  private static func named(_ checks: [ImportedCheck], _ names: inout FreeNames) -> [ImportedCheck] {
    checks.map { check in
      var check = check
      check.name = names.take(check.name, maxBytes: 190)
      check.nameMethod()
      check.dropUnusedTLS()
      check.dropUnusedAuthority()
      check.followDown()
      return check
    }
  }
}

extension ForeignNode {
  /// The documents of a file in YAML or JSON, entered into the books; a problem names the file.
  static func documents(_ file: ImportFile, _ ledger: Ledger) throws(ImportProblem) -> [ForeignNode] {
    do throws(ImportProblem) {
      return try ForeignNode.yaml(file.bytes).map { ledger.enter($0, file: file.name) }
    } catch { throw error.of(file) }
  }

  static func json(_ file: ImportFile, _ ledger: Ledger) throws(ImportProblem) -> ForeignNode {
    do throws(ImportProblem) { return ledger.enter(try json(file.bytes), file: file.name) } catch {
      throw error.of(file)
    }
  }
}

extension ImportProblem {
  func of(_ file: ImportFile) -> ImportProblem {
    ImportProblem("\(file.name.printable(maxBytes: 300)): \(message)", hint: hint)
  }
}
