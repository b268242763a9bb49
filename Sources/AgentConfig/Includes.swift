// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Reads the files that `include` names and puts their lists behind those of the main file. Relative paths inside them
/// are relative to the main file, as everywhere.
struct Includes {
  /// Files read at most; a directory that holds more was not meant.
  static let limit = 256

  let sources: ConfigSources

  /// Content of the files; their problems are in `walk`.
  struct Reading {
    var patterns: [String] = []
    var files: [String] = []
    /// Parts of the files about checks, in their order.
    var reuse: [ReuseFile] = []
    /// The files of each pattern that say something.
    var lists: [ConfigList] = []
  }

  func read(into root: inout GivenMap, _ walk: inout Walk) -> Reading {
    var reading = Reading()
    if root["include"]?.isInvalid == true { walk.lacksFiles = true }
    for (index, pattern) in (root["include"]?.texts ?? []).enumerated() {
      let path = ["include", String(index)]
      guard !root.isInvalid(path) else {
        walk.lacksFiles = true
        continue
      }
      let position = root.position(of: path)
      guard !pattern.isEmpty, !pattern.utf8.contains(0) else {
        walk.problem(position, "include must be the path of a file, or a pattern such as conf.d/*.yaml")
        continue
      }
      guard !ConfigFiles.refusesDepth(pattern, of: "include", at: position, &walk) else {
        walk.lacksFiles = true
        continue
      }
      let absolute = normalised(walk.references.absolute(pattern))
      reading.patterns.append(absolute)
      var list = ConfigList(pattern: absolute, what: "files", names: [])
      let found = sources.files.expand(absolute)
      if found.isEmpty, let folder = Self.folder(of: absolute), !sources.files.isThere(folder) {
        walk.warn(
          position,
          "include: no file matches \(quoted(pattern)): the directory \(quoted(folder)) does not exist",
          hint: "check the path; a file that comes later is read then")
      }
      for file in found where !reading.files.contains(file) {
        guard reading.files.count < Self.limit else {
          walk.lacksFiles = true
          walk.problem(position, "include names more than \(Self.limit) files")
          return reading
        }
        reading.files.append(file)
        guard let reuse = add(file, at: position, to: &root, &walk) else { continue }
        reading.reuse.append(reuse)
        list.names.insert(ByteText(file))
      }
      reading.lists.append(list)
    }
    return reading
  }

  /// The directory before the first wildcard. `nil` where it is the working directory.
  private static func folder(of pattern: String) -> String? {
    let plain = pattern.prefix { !ConfigFiles.isPattern(String($0)) }
    return plain.lastIndex(of: "/").map { $0 == plain.startIndex ? "/" : String(plain[..<$0]) }
  }

  private func add(
    _ file: String, at position: Position, to root: inout GivenMap, _ walk: inout Walk
  ) -> ReuseFile? {
    let bytes: [UInt8]
    do throws(ConfigErrors) {
      bytes = try sources.files.read(file)
    } catch {
      walk.lacksFiles = true
      for problem in error.problems { walk.problem(position, "include: \(file): \(problem.message)") }
      return nil
    }
    walk.begin(file)
    do throws(ConfigErrors) {
      let text = try utf8Text(bytes, file: file)
      guard holdsSomething(text) else {
        if !text.utf8.contains(UInt8(ascii: "#")) {
          walk.warn(
            position, "include: \(file) is empty: it adds nothing",
            hint: "a file that is not written yet looks like that; a comment in it says that it is meant")
        }
        return nil
      }
      let tree = try ConfigText.tree(
        text, file: file, source: walk.source, start: "begin it with checks:, or remove it")
      walk.add(tree)
      let reuse = ReuseFile(tree.node, isMain: false)
      // Those of the main file are the agent's.
      for entry in walk.included(reuse.rest).entries where entry.name != "defaults" { root.append(entry) }
      return reuse
    } catch {
      walk.lacksFiles = true
      walk.add(error.problems)
      return nil
    }
  }

  /// A file of comments only adds nothing, and is no mistake.
  private func holdsSomething(_ text: String) -> Bool {
    var isComment = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\n"): isComment = false
      case UInt8(ascii: "#"): isComment = true
      // Blanks, tabs and the first half of a line end.
      case 0x20, 0x09, 0x0d: break
      case _ where isComment: break
      default: return true
      }
    }
    return false
  }
}

extension GivenMap {
  /// Puts a list behind the one that is there under the same name.
  fileprivate mutating func append(_ entry: (name: String, value: Given)) {
    guard let index = entries.firstIndex(where: { $0.name == entry.name }) else {
      entries.append(entry)
      return
    }
    if case .map(var old) = entries[index].value.value, case .map(let new) = entry.value.value {
      old.entries += new.entries
      entries[index].value.value = .map(old)
    } else if case .list(let old) = entries[index].value.value, case .list(let new) = entry.value.value {
      entries[index].value.value = .list(old + new)
    } else if case .invalid = entries[index].value.value {
      // Whatever is wrong there was said.
    } else if case .invalid = entry.value.value {
      entries[index].value.value = .invalid
    }
  }
}
