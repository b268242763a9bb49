// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Glibc
import Import

/// The files of an import: those that are named, those below the folders that are, and those that they name themselves.
struct ImportFiles {
  /// `nil`: each file says what it is.
  let format: ImportFormat?
  /// Reads a file that the command line names.
  let read: (String) throws -> ImportFile

  private var files: [ImportFile] = []
  private var seen: Set<ByteText> = []
  private var bytes = 0

  /// Why there are too many.
  struct TooMuch: Error, Hashable {
    let message: String
    let hint = "import the files in parts"
  }

  private static let most = (files: 1000, bytes: 128 << 20, levels: 16)

  init(_ format: ImportFormat?, read: @escaping (String) throws -> ImportFile) {
    (self.format, self.read) = (format, read)
  }

  /// All files, in the order they are named.
  mutating func gather(_ paths: [String]) throws -> [ImportFile] {
    for path in paths {
      if path != "-", isFolder(path) {
        for found in below(path, ends) { try add(try read(found)) }
      } else {
        try add(try read(path))
      }
    }
    // What companions name is followed, too: a file of jobs has files of targets.
    var next = 0
    while next < files.count {
      let file = files[next]
      next += 1
      for companion in file.companions(format) {
        for path in resolved(companion, beside: file.name) where !seen.contains(ByteText(path)) {
          // One that cannot be read is listed by the reader as not given.
          guard let read = try? read(path) else { continue }
          try add(read)
        }
      }
    }
    return files
  }

  private mutating func add(_ file: ImportFile) throws {
    guard seen.insert(ByteText(file.name)).inserted else { return }
    bytes += file.bytes.count
    guard files.count < Self.most.files else { throw TooMuch(message: "more than \(Self.most.files) files") }
    guard bytes <= Self.most.bytes else {
      throw TooMuch(message: "the files are larger than \(Self.most.bytes >> 20) MiB together")
    }
    files.append(file)
  }

  // MARK: Folders

  private var ends: [String] {
    switch format {
    case .nagios, .cloudprober: [".cfg"]
    case .blackbox: [".yml", ".yaml", ".json"]
    case .gatus, .upptime: [".yml", ".yaml"]
    case .icinga2, .telegraf: [".conf"]
    case .smokeping: [""]
    case .checkly: [".json"]
    case .uptimeKuma: [".db", ".json"]
    default: [".cfg", ".conf", ".yml", ".yaml", ".json", ".db"]
    }
  }

  private func isFolder(_ path: String) -> Bool {
    do throws(GivenFile.Objection) {
      close(try GivenFile.open(path))
      return false
    } catch { if case .isDirectory = error { return true } else { return false } }
  }

  /// Files below a folder by their ends, in the order of their names; those that begin with a dot are left out.
  private func below(_ folder: String, _ ends: [String]) -> [String] {
    var found: [String] = []
    var open: [(path: String, level: Int)] = [(folder.hasSuffix("/") ? String(folder.dropLast()) : folder, 0)]
    var looked = 0
    while let (path, level) = open.popLast(), found.count <= Self.most.files, looked < 10 * Self.most.files {
      var inner: [(path: String, level: Int)] = []
      for name in fileNames(in: path).sorted() where !name.hasPrefix(".") {
        looked += 1
        let whole = "\(path)/\(name)"
        if ends.contains(where: { name.hasSuffix($0) }) {
          found.append(whole)
        } else if level < Self.most.levels, isFolder(whole) {
          inner.append((whole, level + 1))
        }
      }
      open += inner.reversed()
    }
    return found
  }

  // MARK: Companions

  /// Paths that exist: below the folder of the file that names them, by as much of the path as fits, else as written.
  private func resolved(_ companion: ImportCompanion, beside name: String) -> [String] {
    let base = name.contains("/") ? String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]) + "/" : ""
    switch companion {
    case .file(let path):
      return places(path, base).lazy.map { ConfigFiles.disk.isThere($0) ? [$0] : [] }.first { !$0.isEmpty }
        ?? []
    case .folder(let path, let end):
      return places(path, base).first(where: isFolder).map { below($0, [end]) } ?? []
    case .pattern(let path):
      return places(path, base).lazy.map { path in
        ConfigFiles.disk.expand(path).filter { ConfigFiles.disk.isThere($0) }
      }.first { !$0.isEmpty } ?? []
    }
  }

  private func places(_ path: String, _ base: String) -> [String] {
    let parts = path.split(separator: "/").filter { $0 != "." && $0 != ".." }
    // The last part of a pattern alone would name files of others, too.
    let isPattern = parts.last?.contains("*") == true
    let starts = isPattern ? parts.indices.prefix(max(1, parts.count - 1)) : parts.indices
    let suffixes = starts.prefix(32).map { base + parts[$0...].joined(separator: "/") }
    return suffixes + [path]
  }
}
