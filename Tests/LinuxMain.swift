// SPDX-License-Identifier: MIT

import Glibc
import Testing

/// Runs the tests of this package's bundle. With an entry point of its own SwiftPM does not look for tests of XCTest, of which
/// there are none, in an index of all sources: so no index has to be made, which is a fifth of a build.
///
/// `swift test` starts the bundle up to three times: for a list of XCTest's tests, for these tests, and for those of Swift
/// Testing. Only the last of these runs any.
@main struct Main {
  static func main() async {
    let arguments = CommandLine.arguments
    if arguments.contains("--dump-tests-json") {
      print(#"{"name": "All tests", "tests": []}"#)
      exit(0)
    }
    guard arguments.contains("--testing-library") else {
      print("no test of XCTest; for the others: --testing-library swift-testing")
      exit(0)
    }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
