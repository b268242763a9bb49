// SPDX-License-Identifier: MIT

import Basics

/// One item of `discover`: targets that are not listed in the file, each of which becomes a check.
package struct DiscoverySource: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    /// A path, or a pattern such as targets/*.json, absolute.
    case files(String)
    /// Asked by GET.
    case http(HTTPURL, headers: [HeaderField])
    /// The name of SRV records (RFC 2782).
    case dns(String)
  }

  package var place: Place
  /// Names of templates: what its checks are made of.
  package var templates: [String]
  /// Of each check; holds `${target}` or its like.
  package var name: String
  /// Between two questions; files are looked at as the configuration is.
  package var refresh: Duration
  /// The place as it is written, with references and without their values, so that a rotated secret leaves it as it is.
  private let written: String

  package static let usual: Duration = .seconds(60)
  package static let refreshes: ClosedRange<Duration> = .seconds(10) ... .seconds(86_400)
  /// Items of a configuration.
  package static let limit = 32
  /// Targets of one item.
  package static let mostTargets = 10_000
  /// Bytes of one file or answer.
  package static let mostBytes = 4 << 20

  /// Name for people; nothing secret.
  package var label: String {
    switch place {
    case .files(let pattern): pattern
    case .http(let url, _): "\(url.scheme.rawValue)://\(url.endpoint)"
    case .dns(let name): name
    }
  }

  /// File of the learned targets, below the state directory: one for each URL with its headers, which may say whose targets
  /// the answer holds. `nil` where the source is files already.
  package var cacheName: String? {
    if case .files = place { return nil }
    return "discovered/\(UniqueID.v5(namespace: Self.namespace, name: written)).json"
  }

  /// Identity of the item when its place is edited: what its checks are made of, and their name.
  package var itemName: String {
    UniqueID.v5(namespace: Self.namespace, name: (["item"] + templates + [name]).joined(separator: "\n"))
      .description
  }

  private static let namespace = UniqueID(high: 0x7175_6172_747a_4d0a, low: 0x9d15_c0fe_7a26_e751)
}

/// An item as it was written.
package struct DiscoveryDefinition: Sendable {
  package var file: String?
  package var http: Redacted?
  package var dns: String?
  package var templates: [String] = []
  package var name: String?
  package var refresh: Duration?
  package var headers: [(name: String, value: Redacted)] = []
  /// Of `http` and the headers that have references, as they are written.
  private var writtenURL: String?
  private var writtenHeaders: [(name: String, value: String)] = []

  package init() {}

  static let keys: [Key<DiscoveryDefinition>] = [
    Key(
      \.file, "file", .text, "Files in the form of Prometheus' file_sd_configs; relative to this file",
      default: "one of `file`, `http` and `dns`"),
    Key(
      \.http, "http", .secretURL, "Answers a GET in the form of Prometheus' http_sd_configs",
      default: "one of the three"),
    Key(
      \.dns, "dns", .text, "Name of SRV records, such as _https._tcp.example.com", default: "one of the three"
    ),
    Key(\.templates, "extends", .oneOrMoreTexts, "Templates that the checks are made of").required,
    Key(
      \.name, "name", .text, "Of each check, with `${target}`, `${host}`, `${port}` or `${label:NAME}`",
      default: "the template and `${target}`"),
    Key(\.refresh, "refresh", .duration(DiscoverySource.refreshes), "Refresh interval", default: "60s"),
    Key(\.headers, "headers", .headers, "Sent with the request; values are secret", default: "{}"),
  ]

  private static let list = KeyList(keys)

  package init(_ map: GivenMap, _ reader: inout KeyReader) {
    self.init()
    reader.fill(&self, map, Self.list)
    writtenURL = map["http"]?.written
    writtenHeaders = map.map("headers").entries.compactMap { entry in
      entry.value.written.map { (entry.name, $0) }
    }
  }

  fileprivate func written(_ place: DiscoverySource.Place) -> String {
    switch place {
    case .files(let pattern): return pattern
    case .http(let url, let headers):
      let lines = headers.map { header in
        let written = writtenHeaders.first { $0.name == header.name }?.value
        return "\(header.name): \(written ?? header.value.reveal())"
      }
      return ([writtenURL ?? url.text] + lines).joined(separator: "\n")
    case .dns(let name): return "dns:\(name)"
    }
  }
}

extension DiscoverySource {
  /// Judges a definition.
  ///
  /// - Parameter absolute: makes a path of the file's one of the machine.
  /// - Throws: `InvalidAlerts` with every problem found; no message shows a secret.
  package init(_ definition: DiscoveryDefinition, absolute: (String) -> String) throws(InvalidAlerts) {
    var problems: [CheckProblem] = []
    var places: [Place] = []
    if let file = definition.file, !file.isEmpty { places.append(.files(absolute(file))) }
    if let text = definition.http {
      let headers = definition.headers.map { HeaderField($0.name, $0.value) }
      if let url = try? HTTPURL(text.reveal()), url.text.utf8.count <= 2048 {
        places.append(.http(url, headers: headers))
      } else {
        problems.append(
          CheckProblem(
            ["http"], "http must be an http or https URL", hint: "such as https://cmdb.example/targets"))
      }
    }
    if let name = definition.dns {
      if name.isEmpty || name.utf8.count > 253 || name.hasControlCharacter || !name.hasPrefix("_") {
        problems.append(
          CheckProblem(
            ["dns"], "dns must be the name of SRV records, found \(quoted(name.withoutURLSecrets))",
            hint: "such as _https._tcp.example.com"))
      } else {
        places.append(.dns(name))
      }
    }
    if problems.isEmpty, places.count != 1 {
      problems.append(
        CheckProblem([], "an item of discover has one of file, http and dns, found \(places.count)"))
    }
    if definition.templates.isEmpty {
      problems.append(
        CheckProblem(
          ["extends"], "extends is missing: its checks are made of a template", hint: "see templates"))
    }
    let name = definition.name ?? "\(definition.templates.first ?? "") ${target}"
    if !["${target}", "${host}", "${port}", "${label:"].contains(where: { name.contains($0) }) {
      problems.append(
        CheckProblem(
          ["name"], "all checks would be called \(quoted(name))", hint: "put ${target} into the name"))
    }
    guard problems.isEmpty, let place = places.first else { throw InvalidAlerts(problems: problems) }
    self.init(
      place: place, templates: definition.templates, name: name, refresh: definition.refresh ?? Self.usual,
      written: definition.written(place))
  }
}

extension KeyTable {
  /// An item of the section `discover`.
  package static let discovery = KeyTable(DiscoveryDefinition.keys)
}
