// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// The settings every Swift target shares. Warnings become errors in CI only (`-Xswiftc -warnings-as-errors`),
/// so that a newer compiler never breaks a user's build.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  // Not in release: with the Swift runtime linked in, libc's structures belong to another module (SwiftOverlayShims).
  .enableUpcomingFeature("MemberImportVisibility", .when(configuration: .debug)),
]

/// Asynchronous functions go on where their caller runs (SE-0461), and not by way of its executor at each call and each
/// return: in the rooms of a probe, which makes some fifteen such calls.
let inPlace: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// For the rooms that touch no C: every unsafe construct is a warning there, and so an error in CI.
let strict: [SwiftSetting] = settings + [.strictMemorySafety()]

// Nobody links against the agent; with the Swift runtime linked in, its symbols would be 2 MB to load. What only the
// loader writes to is read-only afterwards (-z relro, -z now); no number is made of where it was built (ld(1)).
let linking = [
  "-Xlinker", "--no-export-dynamic", "-Xlinker", "--build-id=none",
  "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now",
]

let package = Package(
  name: "quartz-agent",
  products: [
    .executable(name: "quartz-agent", targets: ["QuartzAgent"]),
    .executable(name: "quartz-bench", targets: ["QuartzBench"]),
    .executable(name: "agent-simulation", targets: ["AgentSimulation"]),
    .executable(name: "spool-proof", targets: ["SpoolProof"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CCurl",
      providers: [.apt(["libcurl4-openssl-dev", "zlib1g-dev", "libbrotli-dev", "libzstd-dev"])]),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CPCRE2", providers: [.apt(["libpcre2-dev"])]),
    .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CIDN2", providers: [.apt(["libidn2-dev"])]),
    .target(name: "Basics", dependencies: ["CIDN2", "CLinux"], swiftSettings: settings),
    .target(name: "Monitoring", dependencies: ["Basics"], swiftSettings: strict),
    .target(name: "CSpin"),
    .target(name: "Curl", dependencies: ["Basics", "CCurl", "COpenSSL", "CSpin"], swiftSettings: settings),
    .target(
      name: "Network", dependencies: ["Basics", "Monitoring", "Curl", "CLinux"],
      swiftSettings: settings + inPlace),
    .target(
      name: "Checks",
      dependencies: ["Basics", "Monitoring", "Curl", "Network", "CLinux", "COpenSSL", "CPCRE2"],
      swiftSettings: settings + inPlace),
    .target(
      name: "Scheduler",
      dependencies: [
        "Basics", "Monitoring", "CLinux", .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "History",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: strict),
    .target(
      name: "Spool",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: settings),
    .target(
      name: "QuartzAPI", dependencies: ["Basics", "Monitoring", "Curl", "Network"], swiftSettings: strict),
    .target(
      name: "Groups", dependencies: ["Basics", "Monitoring", "Curl", "Network"], swiftSettings: strict),
    .target(
      name: "Alerts", dependencies: ["Basics", "Monitoring", "Curl", "Network", "CLinux"],
      swiftSettings: settings),
    .target(name: "YAML", dependencies: ["Basics", "Monitoring", "CYAML"], swiftSettings: settings),
    .target(
      name: "AgentConfig", dependencies: ["Basics", "Monitoring", "YAML"], swiftSettings: settings),
    .target(name: "Import", dependencies: ["Basics", "Monitoring", "YAML"], swiftSettings: settings),
    .target(
      name: "Tracing", dependencies: ["Basics", "Monitoring", "Network", "CLinux"], swiftSettings: settings),
    .target(
      name: "Status",
      dependencies: [
        "Alerts", "Basics", "Groups", "History", "Monitoring", "QuartzAPI", "Scheduler", "Spool", "Tracing",
      ],
      swiftSettings: strict),
    .target(
      name: "StatusServer",
      dependencies: [
        "Basics", "Monitoring", "History", "Status", "Tracing", "CZlib",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "Agent",
      dependencies: [
        "Basics", "Monitoring", "Curl", "Network", "Checks", "Scheduler", "History", "Spool", "QuartzAPI",
        "AgentConfig", "Alerts", "Groups", "Import", "Status", "StatusServer", "Tracing",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "QuartzAgent",
      dependencies: [
        "Agent", "Basics", "Monitoring", "Curl", "Network", "Checks", "History", "Spool", "QuartzAPI",
        "AgentConfig", "Alerts", "Groups", "Import", "Status", "StatusServer", "Tracing",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings,
      linkerSettings: [.unsafeFlags(linking, .when(configuration: .release))]),
    // What the benchmarks drive: the rooms as the program has them, so that one build serves both.
    .executableTarget(
      name: "QuartzBench",
      dependencies: [
        "Basics", "Monitoring", "Curl", "Network", "Checks", "Scheduler", "Spool", "History", "Groups",
      ],
      path: "Benchmarks/QuartzBench", swiftSettings: settings),

    // The parts of the agent under one seeded clock: scripts/simulate, docs/simulation.md.
    .target(name: "CSimulation", path: "Proof/Sources/CSimulation"),
    .executableTarget(
      name: "AgentSimulation",
      dependencies: [
        "Agent", "CSimulation", "Basics", "Monitoring", "Network", "Checks", "Scheduler", "History", "Spool",
        "QuartzAPI", "AgentConfig", "Alerts", "Groups", "Tracing",
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Proof/Sources/AgentSimulation", swiftSettings: settings),

    // Kills and power cuts of the store: scripts/prove-durability.
    .executableTarget(
      name: "SpoolProof", dependencies: ["Basics", "Monitoring", "Spool"], path: "Proof/Sources/SpoolProof",
      swiftSettings: settings),

    .target(
      name: "TestSupport", dependencies: ["Basics"], path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "BasicsTests", dependencies: ["Basics", "Monitoring", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "MonitoringTests", dependencies: ["Basics", "Monitoring"], swiftSettings: settings),
    .testTarget(
      name: "CurlTests", dependencies: ["Basics", "Curl", "CCurl", "COpenSSL", "TestSupport"],
      swiftSettings: settings),
    // Name servers and answers of the tests' own, for the rooms that ask and for those that probe.
    .target(
      name: "NetworkTestSupport", dependencies: ["Basics", "Monitoring", "Curl", "Network", "TestSupport"],
      path: "Tests/NetworkTestSupport", swiftSettings: settings),
    .testTarget(
      name: "NetworkTests",
      dependencies: [
        "Basics", "CLinux", "Curl", "Monitoring", "Network", "NetworkTestSupport", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ChecksTests",
      dependencies: [
        "Basics", "Checks", "CLinux", "Curl", "Monitoring", "Network", "NetworkTestSupport", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SchedulerTests", dependencies: ["Basics", "Scheduler", "Monitoring", "TestSupport"],
      swiftSettings: settings),
    // Runs and stores of one check for the tests of what shows them.
    .target(
      name: "HistorySupport", dependencies: ["Basics", "History", "Monitoring"],
      path: "Tests/HistorySupport", swiftSettings: settings),
    .testTarget(
      name: "HistoryTests",
      dependencies: ["Basics", "History", "HistorySupport", "Monitoring", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SpoolTests", dependencies: ["Basics", "Spool", "Monitoring", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "QuartzAPITests",
      dependencies: [
        "Basics", "QuartzAPI", "Spool", "Curl", "Monitoring", "Network", "NetworkTestSupport", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GroupsTests",
      dependencies: [
        "Basics", "Groups", "Curl", "Monitoring", "Network", "NetworkTestSupport", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AlertsTests",
      dependencies: [
        "Basics", "Alerts", "Curl", "Monitoring", "Network", "NetworkTestSupport", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(name: "YAMLTests", dependencies: ["Basics", "Monitoring", "YAML"], swiftSettings: settings),
    .testTarget(
      name: "AgentConfigTests", dependencies: ["Basics", "AgentConfig", "Monitoring", "TestSupport", "YAML"],
      exclude: ["Gallery"], swiftSettings: settings),
    .testTarget(
      name: "ImportTests", dependencies: ["Basics", "Import", "AgentConfig", "Monitoring"],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "TracingTests",
      dependencies: ["Basics", "Checks", "Monitoring", "Network", "TestSupport", "Tracing"],
      swiftSettings: settings),
    // An agent with something of everything.
    .target(
      name: "StatusSupport",
      dependencies: [
        "Basics", "Groups", "History", "Monitoring", "QuartzAPI", "Scheduler", "Spool", "Status",
      ],
      path: "Tests/StatusSupport", swiftSettings: settings),
    .testTarget(
      name: "StatusTests",
      dependencies: [
        "Alerts", "Basics", "Groups", "History", "HistorySupport", "Monitoring", "QuartzAPI", "Scheduler",
        "Spool", "Status", "StatusSupport", "TestSupport",
        "Tracing",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StatusServerTests",
      dependencies: [
        "Alerts", "Basics", "History", "Monitoring", "Status", "StatusServer", "StatusSupport", "TestSupport",
        "Tracing",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AgentTests",
      dependencies: [
        "Agent", "AgentConfig", "Alerts", "Basics", "Checks", "Curl", "Groups", "History", "Import",
        "Monitoring", "Network", "NetworkTestSupport",
        "QuartzAPI", "Scheduler", "Spool", "Status", "StatusServer", "TestSupport", "Tracing",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: settings),
    .testTarget(
      name: "QuartzAgentTests",
      dependencies: [
        "Agent", "AgentConfig", "Alerts", "Basics", "Checks", "QuartzAgent", "History", "Import",
        "Monitoring", "Network",
        "Spool", "Status", "StatusServer", "TestSupport", "Tracing",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: settings),
    .testTarget(
      name: "DeployTests",
      dependencies: [
        "Basics", "QuartzAPI", "Curl", "Monitoring", "Network", "NetworkTestSupport", "TestSupport",
      ],
      exclude: ["Backend"], swiftSettings: settings),
  ]
)
