// SPDX-License-Identifier: MIT

import Foundation

/// What a program said and how it ended.
package struct ToolOutcome: Sendable {
  package var status: Int32
  /// Both outputs, in the order in which they were written.
  package var output: String
}

/// Runs a program from Debian to its end.
///
/// - Parameters:
///   - program: absolute path; a missing one is a failed test that names the package to install.
///   - folder: where it runs, and where its output is kept meanwhile.
///   - input: what it reads.
package func runTool(
  _ program: String, _ arguments: [String], debianPackage: String, in folder: URL, input: String = ""
) async throws -> ToolOutcome {
  guard FileManager.default.isExecutableFile(atPath: program) else {
    throw MissingServer(program: program, debianPackage: debianPackage)
  }
  let name = UUID().uuidString
  let (given, said) = (folder.appending(path: "in-\(name)"), folder.appending(path: "out-\(name)"))
  try input.write(to: given, atomically: true, encoding: .utf8)
  _ = FileManager.default.createFile(atPath: said.path, contents: nil)
  let process = Process()
  process.executableURL = URL(filePath: program)
  process.arguments = arguments
  process.currentDirectoryURL = folder
  let fed = try FileHandle(forReadingFrom: given)
  let output = try FileHandle(forWritingTo: said)
  process.standardInput = fed
  process.standardOutput = output
  process.standardError = output
  // A process object keeps them open for good.
  defer {
    try? fed.close()
    try? output.close()
  }
  try process.run()
  while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
  return ToolOutcome(
    status: process.terminationStatus, output: try String(contentsOf: said, encoding: .utf8))
}
