// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// libFuzzer targets, one executable for each parser of what strangers send. A manifest of its own: nobody else builds
/// with a sanitizer. The sources are links to the agent's own, so that a target sees what is internal there.
let fuzzer: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]
let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer,address"])]

let package = Package(
  name: "quartz-agent",
  dependencies: [.package(url: "https://github.com/apple/swift-collections", from: "1.6.0")],
  targets: [
    .target(name: "Monitoring", swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
    .executableTarget(
      name: "FuzzDNS", dependencies: ["Monitoring"], swiftSettings: fuzzer, linkerSettings: linked),
    .systemLibrary(name: "CPCRE2"),
    .executableTarget(
      name: "FuzzDialog", dependencies: ["Monitoring", "CPCRE2"], swiftSettings: fuzzer,
      linkerSettings: linked),
    .executableTarget(
      name: "FuzzStartTLS", dependencies: ["Monitoring", "CPCRE2"], swiftSettings: fuzzer,
      linkerSettings: linked),
    .systemLibrary(name: "CCurl"),
    .executableTarget(name: "FuzzHeaders", swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzURL", dependencies: ["Monitoring", "CCurl"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(name: "FuzzJSON", swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(name: "FuzzCondition", swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzPattern", dependencies: ["Monitoring", "CPCRE2"], swiftSettings: fuzzer,
      linkerSettings: linked),
    // The whole room, with the ways in for hostile bytes beside it.
    .target(
      name: "Spool",
      dependencies: ["Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: fuzzer),
    .executableTarget(
      name: "FuzzSegment", dependencies: ["Spool"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzCursor", dependencies: ["Spool"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzStore", dependencies: ["Spool"], swiftSettings: fuzzer, linkerSettings: linked),
  ]
)
