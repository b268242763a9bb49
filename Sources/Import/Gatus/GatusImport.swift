// SPDX-License-Identifier: MIT

import Basics

/// Configurations of Gatus, which it reads as one.
struct GatusImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ files: [ImportFile]) throws(ImportProblem) -> [ImportedCheck] {
    var documents: [(section: Section, file: ImportFile)] = []
    for file in files {
      for (index, document) in try ForeignNode.documents(file, ledger).enumerated() {
        guard index == 0 else {
          ledger.list(document, "Gatus reads the first document of a file only")
          continue
        }
        documents.append((Section(GatusVariables.marked(document, ledger), ledger), file))
      }
    }
    var alerts = GatusAlerts(documents.compactMap { $0.section.section("alerting") }, ledger)
    var checks: [ImportedCheck] = []
    for (section, file) in documents {
      for name in ["endpoints", "services"] {
        for endpoint in section[name]?.items ?? [] {
          ledger.settle()
          if name == "services", endpoint["insecure"]?.flag == true {
            Section(endpoint, ledger).list(
              "Gatus before 3.0 reads it here: write tls.verify", "insecure", change: .stricter)
          }
          guard let check = GatusEndpoint(Section(endpoint, ledger).withoutEmptyTexts()).check(&alerts) else {
            continue
          }
          try add(check, to: &checks, file)
        }
      }
      for endpoint in section["external-endpoints"]?.items ?? [] {
        ledger.settle()
        guard let check = GatusEndpoint(Section(endpoint, ledger).withoutEmptyTexts()).heartbeat(&alerts)
        else { continue }
        try add(check, to: &checks, file)
      }
    }
    alerts.finish()
    for document in documents { rest(document.section) }
    return checks
  }

  private func add(
    _ check: ImportedCheck, to checks: inout [ImportedCheck], _ file: ImportFile
  ) throws(ImportProblem) {
    do throws(ImportProblem) { try ledger.count(of: check.name) } catch { throw error.of(file) }
    checks.append(check)
  }

  private func rest(_ section: Section) {
    if let maintenance = section.section("maintenance") {
      for var window in GatusMaintenance.windows(maintenance) {
        window.writeVariables()
        window.note(.changed, "maintenance", GatusMaintenance.why)
        ledger.sections.windows.append(window)
      }
    }
    for suite in section["suites"]?.items ?? [] {
      let why = "a suite: its steps use one another's answers, or stop at the first that fails"
      let name = Section(suite, ledger)["name"]?.text ?? "unnamed"
      Section(suite, ledger).listAll(why)
      ledger.leaveOut(GatusVariables.name(name), why)
    }
    section.list("the store is built in", "storage")
    section.list(
      "the page and the metrics are built in: see status in docs/configuration.md", "web", "ui", "metrics",
      "announcements")
    section.list("write status.read_token", "security")
    section.list("checks are spread over their interval", "disable-monitoring-lock", "concurrency")
    section.list("name a check in canaries", "connectivity")
    section.list("services are not looked for in Kubernetes", "kubernetes", change: .laxer)
    section.list("other agents have a page of their own", "remote")
    section.list("checks are not sent through SSH", "tunneling")
    section.list("the log has its own settings", "debug")
    section.list("a configuration with a problem is never applied", "skip-invalid-config-update")
    section.listRest("Gatus does not read the key; what an alias takes from it counts where the alias is")
  }
}
