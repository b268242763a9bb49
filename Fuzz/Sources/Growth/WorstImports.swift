// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Import

/// What makes a job one that probes.
private let probing =
  "metrics_path: /probe, relabel_configs: [{source_labels: [__address__], target_label: __param_target}]"

/// A command of Nagios.
private let command = "define command {\n command_name c\n command_line check_ping\n}\n"

private func lines(_ count: Int, _ line: (Int) -> String) -> String { (0..<count).map(line).joined() }

/// Reads one file; so many checks are to come of it.
private func reading(_ format: ImportFormat, _ text: String, checks: Int) -> Work {
  let file = ImportFile(name: "f", bytes: Array(text.utf8))
  return { (try? Importer.read(format, [file]))?.checks.count == checks }
}

let imports: [Worst] = [
  Worst("import of YAML", "nested keys", size: 500) { count in
    let nested = lines(40) { text(" ", $0) + text("k", 80) + ":\n" }
    return reading(.gatus, nested + text(" ", 40) + "[" + text("1,", count) + "1]\n", checks: 0)
  },
  Worst("import of YAML", "aliases of an anchor", size: 500) { count in
    reading(.gatus, "a: &a [x, {b: c}]\nb:\n" + text("- *a\n", count), checks: 0)
  },
  Worst("import of YAML", "merged maps", size: 500) { count in
    let endpoints = lines(count) { "- {<<: *a, name: n\($0)}\n" }
    return reading(.gatus, "x: &a {url: http://a.example/}\nendpoints:\n" + endpoints, checks: count)
  },
  Worst("import of Gatus", "headers", size: 1000) { count in
    reading(
      .gatus, "endpoints:\n- url: http://a.example/\n  headers:\n" + lines(count) { "    h\($0): x\n" },
      checks: 1)
  },
  Worst("import of Gatus", "conditions", size: 500) { count in
    reading(
      .gatus,
      "endpoints:\n- url: http://a.example/\n  conditions:\n"
        + lines(count) { "  - \"[BODY].a\($0) == 1\"\n" },
      checks: 1)
  },
  Worst("import of Gatus", "endpoints of one name", size: 500) { count in
    reading(.gatus, "endpoints:\n" + text("- {name: a, url: http://a.example/}\n", count), checks: count)
  },
  Worst("import of Gatus", "labels", size: 1000) { count in
    reading(
      .gatus, "endpoints:\n- url: http://a.example/\n  extra-labels:\n" + lines(count) { "    l\($0): x\n" },
      checks: 1)
  },
  Worst("import of blackbox", "targets", size: 250) { count in
    reading(
      .blackbox,
      """
      modules: {m: {prober: icmp}}
      scrape_configs:
      - {job_name: j, \(probing), params: {module: [m]}, static_configs: [{targets: [\(text("a.example,", count))]}]}
      """, checks: count)
  },
  Worst("import of blackbox", "modules, each with a target", size: 250) { count in
    let modules = lines(count) { "  m\($0): {prober: icmp}\n" }
    let jobs = lines(count) {
      "- {\(probing), params: {module: [m\($0)]}, static_configs: [{targets: [a]}]}\n"
    }
    return reading(.blackbox, "modules:\n\(modules)scrape_configs:\n\(jobs)", checks: count)
  },
  Worst("import of blackbox", "rules on headers", size: 500) { count in
    let rules = lines(count) { "{header: h\($0), regexp: a}," }
    return reading(
      .blackbox,
      """
      modules: {m: {prober: http, http: {fail_if_header_matches: [\(rules)]}}}
      scrape_configs: [{\(probing), params: {module: [m]}, static_configs: [{targets: [a.example]}]}]
      """, checks: 1)
  },
  Worst("import of Uptime Kuma", "monitors with tags", size: 250) { count in
    let monitors = lines(count) { "\($0 == 0 ? "" : ","){\"id\":\($0),\"type\":\"ping\",\"hostname\":\"a\"}" }
    let tags = lines(count) { "\($0 == 0 ? "" : ","){\"monitor_id\":\($0),\"name\":\"t\"}" }
    return reading(
      .uptimeKuma, "{\"monitorList\":[\(monitors)],\"tagList\":[\(tags)]}", checks: count)
  },
  Worst("import of Nagios", "hosts of a group and their service", size: 250, most: 2000) { count in
    let hosts = lines(count) { "define host {\n host_name h\($0)\n hostgroups g\n}\n" }
    return reading(
      .nagios, command + hosts + "define service {\n hostgroup_name g\n check_command c\n}\n", checks: count)
  },
  Worst("import of Nagios", "templates that use one another", size: 64, most: 900) { count in
    // Each uses all sixteen of the next layer; of layers there may be 64.
    let templates = lines(count) { number in
      let used = (0..<16).map { "t\((number / 16 + 1) * 16 + $0)" }.joined(separator: ",")
      return "define service {\n name t\(number)\n use \(used)\n register 0\n}\n"
    }
    let service = "define service {\n use t0\n host_name h\n check_command c\n}\n"
    return reading(.nagios, command + templates + "define host {\n host_name h\n}\n" + service, checks: 1)
  },
  Worst("import of Nagios", "words of a command line", size: 50, most: 200) { count in
    let words = text("-k a:b ", count)
    return reading(
      .nagios,
      "define command {\n command_name c\n command_line check_http -H a \(words)\n}\n"
        + "define host {\n host_name h\n check_command c\n}\n", checks: 1)
  },
  Worst("import of cloudprober", "hosts of a probe", size: 250) { count in
    reading(
      .cloudprober,
      "probe { name: \"p\" type: PING targets { host_names: \"\(text("a,", count))\" } }", checks: count)
  },
  Worst("import of cloudprober", "fields", size: 1000) { count in
    reading(.cloudprober, text("probe { name: \"p\" type: X }\n", count), checks: 0)
  },
  Worst("import of Checkly", "assertions", size: 500) { count in
    let assertions = lines(count) {
      "\($0 == 0 ? "" : ","){\"source\":\"HEADERS\",\"property\":\"h\($0)\",\"comparison\":\"EQUALS\",\"target\":\"a\"}"
    }
    return reading(
      .checkly, "[{\"request\":{\"url\":\"http://a\",\"assertions\":[\(assertions)]}}]", checks: 1)
  },
  Worst("imported agent.yaml", "secrets whose names begin alike", size: 500) { count in
    let checks = (0..<count).map { number -> ImportedCheck in
      var check = ImportedCheck(name: text("n", 200) + "\(number)", type: "http")
      check["auth.basic.password"] = .secret(Redacted("a"), as: "password")
      return check
    }
    return {
      var yaml = AgentYAML(secrets: .environment)
      return !yaml.render(checks, head: []).isEmpty && yaml.values.count == count
    }
  },
]
