// SPDX-License-Identifier: MIT

import Testing

/// Runs the tests of this package's bundle. With an entry point of its own SwiftPM does not look for tests of XCTest, of which
/// there are none, in an index of all sources: so no index has to be made, which is a fifth of a build.
@main struct Main {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
