// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// The rooms that are measured are the agent's own sources, by symbolic links: what is `package` there can be called
// here, and nothing has to become public for the sake of a benchmark.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility", .when(configuration: .debug)),
]

let package = Package(
  name: "quartz-agent",
  products: [.executable(name: "quartz-bench", targets: ["QuartzBench"])],
  dependencies: [.package(url: "https://github.com/apple/swift-collections", exact: "1.6.0")],
  targets: [
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CPCRE2", providers: [.apt(["libpcre2-dev"])]),
    .systemLibrary(name: "CIDN2"),
    .target(name: "Basics", dependencies: ["CIDN2", "CLinux"], swiftSettings: settings),
    .target(name: "Monitoring", dependencies: ["Basics"], swiftSettings: settings),
    .target(name: "CSpin"),
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
      name: "Spool",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: settings),
    .target(
      name: "History",
      dependencies: ["Basics", "Monitoring", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: settings),
    .target(name: "Groups", dependencies: ["Basics", "Monitoring", "Curl"], swiftSettings: settings),
    .executableTarget(
      name: "QuartzBench",
      dependencies: ["Basics", "Monitoring", "Curl", "Checks", "Scheduler", "Spool", "History", "Groups"],
      swiftSettings: settings),
  ]
)
