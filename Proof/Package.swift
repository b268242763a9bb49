// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// The store alone, with its tests, by symbolic links to the agent's own sources, built here optimised: a hundred thousand
// crash states and ten thousand histories take seconds then. `scripts/prove-durability` drives it.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility", .when(configuration: .debug)),
]

let package = Package(
  name: "quartz-agent",
  products: [
    .executable(name: "spool-proof", targets: ["SpoolProof"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0")
  ],
  targets: [
    .systemLibrary(name: "CIDN2"),
    .systemLibrary(name: "CLinux"),
    .target(name: "Basics", dependencies: ["CIDN2", "CLinux"], swiftSettings: settings),
    .target(name: "Monitoring", dependencies: ["Basics"], swiftSettings: settings),
    .target(
      name: "Spool",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: settings),
    .executableTarget(
      name: "SpoolProof", dependencies: ["Basics", "Monitoring", "Spool"], swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["Basics"], path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "SpoolTests", dependencies: ["Basics", "Spool", "Monitoring", "TestSupport"],
      swiftSettings: settings),
  ]
)
