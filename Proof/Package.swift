// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// The agent's own sources, by symbolic links, built here optimised. The store alone, with its tests: a hundred thousand
// crash states and ten thousand histories take seconds then; `scripts/prove-durability` drives it. And the rooms of the
// agent as one process under one clock: `scripts/simulate` and docs/simulation.md.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility", .when(configuration: .debug)),
]

let package = Package(
  name: "quartz-agent",
  products: [
    .executable(name: "spool-proof", targets: ["SpoolProof"]),
    .executable(name: "agent-simulation", targets: ["AgentSimulation"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
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

    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "COpenSSL"),
    .systemLibrary(name: "CPCRE2"),
    .systemLibrary(name: "CYAML"),
    .target(name: "CSpin"),
    .target(name: "CSimulation"),
    .target(name: "Curl", dependencies: ["Basics", "CCurl", "COpenSSL", "CSpin"], swiftSettings: settings),
    .target(
      name: "Checks", dependencies: ["Basics", "Monitoring", "Curl", "CLinux", "COpenSSL", "CPCRE2"],
      swiftSettings: settings),
    .target(
      name: "Scheduler",
      dependencies: [
        "Basics", "Monitoring", "CLinux", .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "History",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: settings),
    .target(name: "QuartzAPI", dependencies: ["Basics", "Monitoring", "Curl"], swiftSettings: settings),
    .target(name: "Groups", dependencies: ["Basics", "Monitoring", "Curl"], swiftSettings: settings),
    .target(
      name: "Alerts", dependencies: ["Basics", "Monitoring", "History", "Curl", "CLinux"],
      swiftSettings: settings),
    .target(name: "AgentConfig", dependencies: ["Basics", "Monitoring", "CYAML"], swiftSettings: settings),
    .systemLibrary(name: "CZlib"),
    .target(name: "Import", dependencies: ["Basics", "Monitoring", "CYAML"], swiftSettings: settings),
    .target(
      name: "StatusServer",
      dependencies: [
        "Basics", "Monitoring", "History", "CZlib",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "Agent",
      dependencies: [
        "Basics", "Monitoring", "Curl", "Checks", "Scheduler", "History", "Spool", "QuartzAPI", "AgentConfig",
        "Alerts", "Groups", "Import", "StatusServer", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "AgentSimulation",
      dependencies: [
        "Agent", "CSimulation", "Basics", "Monitoring", "Curl", "Checks", "Scheduler", "History", "Spool", "QuartzAPI",
        "AgentConfig", "Alerts", "Groups", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
  ]
)
