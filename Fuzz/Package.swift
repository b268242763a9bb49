// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// libFuzzer targets, one executable for each parser of what strangers send. A manifest of its own: nobody else builds
/// with a sanitizer. The sources are links to the agent's own, so that a target sees what is internal there.
let fuzzer: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]
/// Without the address sanitizer, twice as fast: for what touches no memory by hand.
let traps: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"]),
]
let room: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]),
]
let trapsLinked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]
let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer,address"])]

let package = Package(
  name: "quartz-agent",
  dependencies: [.package(url: "https://github.com/apple/swift-collections", exact: "1.6.0")],
  targets: [
    .target(name: "Basics", swiftSettings: room),
    .target(name: "Monitoring", dependencies: ["Basics"], swiftSettings: room),
    .executableTarget(
      name: "FuzzDNS", dependencies: ["Basics", "Monitoring"], swiftSettings: fuzzer, linkerSettings: linked),
    .systemLibrary(name: "CPCRE2"),
    .executableTarget(
      name: "FuzzDialog", dependencies: ["Basics", "Monitoring", "CPCRE2"], swiftSettings: fuzzer,
      linkerSettings: linked),
    .executableTarget(
      name: "FuzzStartTLS", dependencies: ["Basics", "Monitoring", "CPCRE2"], swiftSettings: traps,
      linkerSettings: trapsLinked),
    .systemLibrary(name: "CCurl"),
    .executableTarget(
      name: "FuzzDecoder", dependencies: ["Basics", "CCurl"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzHeaders", dependencies: ["Basics"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzURL", dependencies: ["Basics", "Monitoring", "CCurl"], swiftSettings: fuzzer,
      linkerSettings: linked),
    .executableTarget(
      name: "FuzzJSON", dependencies: ["Basics"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzCondition", dependencies: ["Basics"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzPattern", dependencies: ["Basics", "Monitoring", "CPCRE2"], swiftSettings: fuzzer,
      linkerSettings: linked),
    .target(name: "QuartzAPI", dependencies: ["Basics", "Monitoring"], swiftSettings: room),
    .target(
      name: "History",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: room),
    .systemLibrary(name: "COpenSSL"),
    .executableTarget(
      name: "FuzzNames", dependencies: ["Basics", "Monitoring"], swiftSettings: traps,
      linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzNumbers", dependencies: ["Basics", "Monitoring"], swiftSettings: traps,
      linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzMaintenance", dependencies: ["Basics", "Monitoring"], swiftSettings: traps,
      linkerSettings: trapsLinked
    ),
    .executableTarget(
      name: "FuzzAcknowledgement", dependencies: ["QuartzAPI"], swiftSettings: traps,
      linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzCheckList", dependencies: ["QuartzAPI"], swiftSettings: traps, linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzWait", dependencies: ["QuartzAPI"], swiftSettings: traps, linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzState", dependencies: ["QuartzAPI"], swiftSettings: traps, linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzHistory", dependencies: ["History"], swiftSettings: traps, linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzCookie", dependencies: ["Basics", "Monitoring"], swiftSettings: traps,
      linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzDigest", dependencies: ["Basics", "Monitoring", "COpenSSL"], swiftSettings: traps,
      linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzCertificate", dependencies: ["Basics", "COpenSSL"], swiftSettings: fuzzer,
      linkerSettings: linked),
    .executableTarget(
      name: "FuzzPing", dependencies: ["Basics", "Monitoring"], swiftSettings: traps,
      linkerSettings: trapsLinked),
    .executableTarget(
      name: "FuzzResolver", dependencies: ["Basics", "Monitoring"], swiftSettings: traps,
      linkerSettings: trapsLinked),
    // How the time grows with the input. The store without the address sanitizer, which has a time of its own.
    .target(
      name: "SpoolRoom",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: room),
    .executableTarget(
      name: "Growth",
      dependencies: [
        "Basics", "Monitoring", "QuartzAPI", "History", "SpoolRoom", "CPCRE2", "CCurl", "COpenSSL",
      ],
      swiftSettings: traps, linkerSettings: trapsLinked),
    // The whole room, with the ways in for hostile bytes beside it.
    .target(
      name: "Spool",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: fuzzer),
    .executableTarget(
      name: "FuzzSegment", dependencies: ["Spool"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzCursor", dependencies: ["Spool"], swiftSettings: fuzzer, linkerSettings: linked),
    .executableTarget(
      name: "FuzzStore", dependencies: ["Spool"], swiftSettings: fuzzer, linkerSettings: linked),
  ]
)
