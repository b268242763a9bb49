// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// libFuzzer targets, one executable for each parser of what strangers send. A manifest of its own: nobody else builds
/// with a sanitizer. Each room is a link to the agent's own folder, built so that a target sees what is internal there.
let instrumented: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"]),
]
let fuzzer: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]
let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer,address"])]

func collection(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-collections") }

func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: instrumented)
}

func fuzz(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, swiftSettings: fuzzer, linkerSettings: linked)
}

let checks: [Target.Dependency] = ["Basics", "Monitoring", "Network", "Checks"]
let quartz: [Target.Dependency] = ["Basics", "Monitoring", "Network", "QuartzAPI"]

let fuzzers = [
  fuzz("FuzzAcknowledgement", quartz),
  fuzz("FuzzAlerts", ["Basics", "Monitoring", "Curl", "Network", "CLinux", "Alerts"]),
  fuzz("FuzzCertificate", ["Basics", "Curl", "COpenSSL"]),
  fuzz("FuzzCheckList", quartz),
  fuzz("FuzzCondition", ["Basics", "Monitoring"]),
  fuzz("FuzzCookie", checks),
  fuzz("FuzzCursor", ["SpoolFuzz"]),
  fuzz("FuzzDNS", checks),
  fuzz("FuzzDecoder", ["Basics", "Curl", "CCurl"]),
  fuzz("FuzzDialog", checks),
  fuzz("FuzzDigest", checks),
  fuzz("FuzzDiscover", checks + ["AgentConfig"]),
  fuzz("FuzzGroup", ["Basics", "Monitoring", "Curl", "Network", "Groups", "QuartzAPI"]),
  fuzz("FuzzHeaders", ["Basics", "Curl"]),
  fuzz("FuzzHeartbeat", checks),
  fuzz("FuzzHistory", ["Basics", "Monitoring", "History", "Status"]),
  fuzz("FuzzJSON", ["Basics"]),
  fuzz("FuzzImport", ["Basics", "Import"]),
  fuzz("FuzzKuma", ["Basics", "Import"]),
  fuzz("FuzzMaintenance", ["Basics", "Monitoring"]),
  fuzz("FuzzNames", ["Basics", "Monitoring"]),
  fuzz("FuzzNumbers", ["Basics", "Monitoring"]),
  fuzz("FuzzPattern", checks + ["CPCRE2"]),
  fuzz("FuzzPing", checks),
  fuzz("FuzzResolver", checks),
  fuzz("FuzzSegment", ["SpoolFuzz"]),
  fuzz("FuzzStartTLS", checks),
  fuzz("FuzzState", quartz),
  fuzz("FuzzStore", ["SpoolFuzz"]),
  fuzz("FuzzTrace", checks + ["Tracing"]),
  fuzz("FuzzURL", checks + ["CCurl"]),
  fuzz("FuzzWait", quartz),
  // How the time grows with the input.
  fuzz(
    "Growth",
    checks + [
      "Curl", "QuartzAPI", "History", "Spool", "SpoolFuzz", "Status", "StatusServer", "Import", "CCurl",
      "COpenSSL",
    ]),
]
/// `FUZZ_TARGETS="FuzzDNS FuzzURL"`: those alone.
let wanted = Context.environment["FUZZ_TARGETS"]?.split(separator: " ").map(String.init)

let package = Package(
  name: "quartz-agent",
  dependencies: [.package(url: "https://github.com/apple/swift-collections", exact: "1.6.0")],
  targets: [
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "COpenSSL"),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CPCRE2"),
    .target(name: "CSpin"),
    .systemLibrary(name: "CIDN2"),
    .systemLibrary(name: "CYAML"),
    room("Basics", ["CIDN2", "CLinux"]),
    room("Monitoring", ["Basics"]),
    room("Curl", ["Basics", "CCurl", "COpenSSL", "CSpin"]),
    room("Network", ["Basics", "Monitoring", "Curl", "CLinux"]),
    room("Checks", ["Basics", "Monitoring", "Curl", "Network", "CLinux", "COpenSSL", "CPCRE2"]),
    room("Tracing", ["Basics", "Monitoring", "Network", "CLinux"]),
    room("History", ["Basics", "Monitoring", collection("DequeModule")]),
    room("Alerts", ["Basics", "Monitoring", "Curl", "Network", "CLinux"]),
    room("Spool", ["Basics", "Monitoring", collection("DequeModule")]),
    room("QuartzAPI", ["Basics", "Monitoring", "Curl", "Network"]),
    room("YAML", ["Basics", "Monitoring", "CYAML"]),
    room("Import", ["Basics", "Monitoring", "YAML"]),
    room("Groups", ["Basics", "Monitoring", "Curl", "Network"]),
    room("AgentConfig", ["Basics", "Monitoring", "YAML"]),
    room("Scheduler", ["Basics", "Monitoring", "CLinux", collection("HeapModule")]),
    room(
      "Status",
      ["Alerts", "Basics", "Groups", "Monitoring", "History", "QuartzAPI", "Scheduler", "Spool", "Tracing"]),
    // Of the status server what reads requests, without its sockets.
    room("StatusServer", ["Basics", "Monitoring", "Status"]),
    // The ways into the store for hostile bytes.
    room("SpoolFuzz", ["Basics", "Monitoring", "Spool"]),
  ] + fuzzers.filter { wanted?.contains($0.name) ?? true }
)
