// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Import

/// Files of lists for the loader, by names of our own.
struct ImportedListFiles {
  private var contents: [ByteText: [UInt8]] = [:]
  private var names: [ByteText: [String]] = [:]

  /// Lists with files are read by these names from now on; one without keeps its own, and has none.
  init(_ lists: inout [ImportedDiscovery]) {
    for index in lists.indices where !lists[index].files.isEmpty {
      let pattern = "lists/\(index)/*"
      for (number, file) in lists[index].files.enumerated() {
        let name = "lists/\(index)/\(number).\(file.name.split(separator: ".").last ?? "")"
        contents[ByteText(name)] = file.bytes
        names[ByteText(pattern), default: []].append(name)
      }
      lists[index].entry["file"] = .text(pattern)
    }
  }

  var files: ConfigFiles {
    let (names, contents) = (names, contents)
    return ConfigFiles(
      expand: { names[ByteText($0)] ?? [] },
      read: { path throws(ConfigErrors) in contents[ByteText(path)] ?? [] },
      isThere: { contents[ByteText($0)] != nil })
  }
}
