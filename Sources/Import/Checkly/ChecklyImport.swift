// SPDX-License-Identifier: MIT

import Basics

/// Checks as Checkly's API and exports have them: API checks with a request and its assertions.
struct ChecklyImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ file: ImportFile) throws(ImportProblem) -> [ImportedCheck] {
    let document = try ForeignNode.json(file, ledger)
    let list = document["checks"]?.items ?? document.items ?? [document]
    var checks: [ImportedCheck] = []
    for item in list where item.entries != nil {
      ledger.settle()
      let section = Section(item, ledger)
      guard var check = check(section) else { continue }
      do throws(ImportProblem) { try ledger.count(of: check.name) } catch { throw error.of(file) }
      check.notes += ledger.takeNotes()
      checks.append(check)
    }
    return checks
  }

  private func check(_ section: Section) -> ImportedCheck? {
    let kind = section.text("checkType") ?? section.text("type") ?? "API"
    guard ["API", "URL"].contains(kind.uppercased()), let request = section.section("request"),
      let url = request.text("url")
    else {
      section.listRest("only checks of one request are taken; a browser is not driven here")
      return nil
    }
    var check = ImportedCheck(name: section.text("name") ?? "unnamed", type: "http")
    check.take(url: url.contains("://") ? url : "https://\(url)")
    self.request(request, &check)
    pace(section, &check)
    if section.flag("activated") == false || section.flag("muted") == true && section.flag("activated") == nil
    {
      check["enabled"] = .plain("false")
    }
    for tag in section.texts("tags") { check.tag(tag) }
    if section.flag("shouldFail") == true { check["expect.status"] = .list([.plain("400-599")]) }
    var named: Set<ByteText> = []
    for assertion in request["assertions"]?.items ?? [] {
      if let why = judge(assertion, &check, &named) {
        ledger.list(assertion, why)
      } else {
        ledger.carry(assertion)
      }
    }
    request.listRest()
    section.list(
      "scripts are not run here", "setupSnippetId", "tearDownSnippetId", "localSetupScript",
      "localTearDownScript", "script")
    section.list(
      "write alerts.rules, see docs/alerts.md", "alertSettings", "alertChannelSubscriptions", "alertChannels")
    section.list(
      "an agent probes from where it stands", "locations", "privateLocations", "runtimeId", "runParallel")
    section.listRest()
    return check
  }

  private func request(_ request: Section, _ check: inout ImportedCheck) {
    if let method = request.text("method") { check["method"] = .text(method.uppercased()) }
    for header in request["headers"]?.items ?? [] {
      guard let name = header["key"]?.text, let value = header["value"]?.text else { continue }
      ledger.carry(header)
      check.header(name, value)
    }
    if let body = request.text("body"), !body.isEmpty { check["body"] = .text(body) }
    if request["bodyType"]?.text == "NONE" { request.carry("body") }
    request.carry("bodyType")
    if request.flag("followRedirects") == false { check["follow"] = .plain("false") }
    if request.flag("skipSSL") == true { check["tls.verify"] = .plain("false") }
    if let family = request.text("ipFamily") { check["ip"] = .text(family.hasSuffix("6") ? "6" : "4") }
    if let auth = request.section("basicAuth"), let name = auth.text("username"), !name.isEmpty {
      check["auth.basic.username"] = .text(name)
      check["auth.basic.password"] = .secret(Redacted(auth.text("password") ?? ""), as: "password")
    }
  }

  private func pace(_ section: Section, _ check: inout ImportedCheck) {
    let minutes = section.number("frequency") ?? 10
    let offset = minutes == 0 ? section.number("frequencyOffset") ?? 10 : nil
    let slowest = section.number("maxResponseTime")
    check.pace(
      interval: offset.map { $0 * 1000 } ?? min(minutes, 40_000) * 60_000, timeout: max(30_000, slowest ?? 0))
    if let warn = section.number("degradedResponseTime"), warn > 0 {
      check["expect.response_time.warn"] = .duration(min(warn, 30_000))
    }
    if let slowest, slowest > 0 { check["expect.response_time.fail"] = .duration(min(slowest, 30_000)) }
    if let retry = section.section("retryStrategy") {
      check["retries"] = .number(min(10, retry.number("maxRetries") ?? 0))
      if let delay = retry.number("baseBackoffSeconds") {
        check["retry_delay"] = .duration(min(delay, 3600) * 1000)
      }
      retry.list("retries are the same time apart, here", "type", "maxDurationSeconds", "sameRegion")
    } else {
      check["retries"] = .plain(section.flag("doubleCheck") == true ? "1" : "0")
    }
  }

  /// Nil: taken; else why not.
  ///
  /// - Parameter named: headers and paths that have a condition.
  private func judge(
    _ node: ForeignNode, _ check: inout ImportedCheck, _ named: inout Set<ByteText>
  ) -> String? {
    let source = node["source"]?.text ?? ""
    let comparison = node["comparison"]?.text ?? ""
    let target = node["target"]?.text ?? ""
    let property = node["property"]?.text ?? ""
    switch source {
    case "STATUS_CODE": return status(comparison, target, &check)
    case "RESPONSE_TIME":
      guard comparison == "LESS_THAN", let limit = Int(target), limit > 0 else {
        return "only a longest time is a condition"
      }
      check["expect.response_time.fail"] = .duration(min(limit, 30_000))
      return nil
    case "TEXT_BODY":
      switch comparison {
      case "CONTAINS": check.append("expect.body.contains", .text(target))
      case "NOT_CONTAINS": check.append("expect.body.not_contains", .text(target))
      default: return "a body holds a text or not"
      }
      return nil
    case "JSON_BODY":
      return entry(
        "expect.json", property.hasPrefix("$") ? property : "$.\(property)", comparison, target, &check,
        &named)
    case "HEADERS": return entry("expect.header", property, comparison, target, &check, &named)
    default: return "there is no such condition"
    }
  }

  private func status(_ comparison: String, _ target: String, _ check: inout ImportedCheck) -> String? {
    guard let code = Int(target), (100...599).contains(code) else { return "it is compared with no status" }
    if case .list? = check["expect.status"] { return "one list of statuses says it all here" }
    switch comparison {
    case "EQUALS": check["expect.status"] = .list([.number(code)])
    case "LESS_THAN" where code > 100: check["expect.status"] = .list([.plain("100-\(code - 1)")])
    case "GREATER_THAN" where code < 599: check["expect.status"] = .list([.plain("\(code + 1)-599")])
    default: return "statuses are listed, not excluded"
    }
    return nil
  }

  private func entry(
    _ path: String, _ name: String, _ comparison: String, _ target: String, _ check: inout ImportedCheck,
    _ named: inout Set<ByteText>
  ) -> String? {
    let key = ByteText("\(path) \(name)")
    guard !named.contains(key) else { return "one name has one condition here" }
    let escaped = target.reduce(into: "") { text, character in
      if "\\.^$|?*+()[]{}".contains(character) { text += "\\" }
      text.append(character)
    }
    let isWord =
      path == "expect.json" && (Double(target) != nil || ["true", "false", "null"].contains(target))
    switch comparison {
    case "EQUALS": check.entry(path, name, isWord ? .plain(target) : .text(target))
    case "NOT_EQUALS": check.entry(path, name, .text("!= \(target)"))
    case "CONTAINS": check.entry(path, name, .text("~ \(escaped)"))
    case "NOT_CONTAINS": check.entry(path, name, .text("!~ \(escaped)"))
    case "GREATER_THAN": check.entry(path, name, .text("> \(target)"))
    case "LESS_THAN": check.entry(path, name, .text("< \(target)"))
    case "NOT_EMPTY": check.entry(path, name, .text("~ ."))
    default: return "there is no such condition"
    }
    named.insert(key)
    return nil
  }
}
