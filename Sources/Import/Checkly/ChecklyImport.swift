// SPDX-License-Identifier: MIT

import Basics

/// Checks as Checkly's API and exports have them: API and URL checks with a request and its assertions, monitors of ports,
/// names, hosts and jobs, and their groups.
struct ChecklyImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ file: ImportFile) throws(ImportProblem) -> [ImportedCheck] {
    try refuseCode(file)
    let document = try ForeignNode.json(file, ledger)
    let list = document["checks"]?.items ?? document.items ?? [document]
    let lists = [document["groups"], document["checkGroups"], document["check-groups"]]
    var groups: [ByteText: ForeignNode] = [:]
    for group in lists.compactMap({ $0?.items }).joined() {
      if let id = group["id"]?.text ?? group["logicalId"]?.text { groups[ByteText(id)] = group }
    }
    var checks: [ImportedCheck] = []
    for item in list where item.entries != nil {
      ledger.settle()
      let id = (item["groupId"]?.text).map { ByteText($0) }
      let group = id.flatMap { groups[$0] }
      do throws(ImportProblem) {
        let weight = group.map { ForeignWeight($0) } ?? ForeignWeight()
        try ledger.count(sharing: weight, of: item["name"]?.text ?? "unnamed")
      } catch { throw error.of(file) }
      guard
        var check = ChecklyCheck(Section(item, ledger).withoutEmptyTexts(), group.map { Section($0, ledger) })
          .check()
      else {
        continue
      }
      check.notes += ledger.takeNotes()
      checks.append(check)
    }
    ledger.settle()
    for group in groups.values {
      let section = Section(group, ledger)
      section.carry("id", "logicalId")
      section.listRest("the key of the group is unknown here, or no check of the group is taken")
    }
    return checks
  }

  /// Programs are no files of values.
  private func refuseCode(_ file: ImportFile) throws(ImportProblem) {
    let start = file.bytes.first { $0 > 0x20 }
    guard start != UInt8(ascii: "{"), start != UInt8(ascii: "[") else { return }
    let isNamed = [".ts", ".js", ".mjs", ".tsx"].contains { file.name.hasSuffix($0) }
    let text = String(decoding: file.bytes.prefix(1 << 16), as: UTF8.self)
    guard isNamed || text.range(of: "checkly/constructs") != nil else { return }
    throw ImportProblem(
      "checks as code (TypeScript) are programs, and are not run here",
      hint: "import the checks as JSON, as Checkly's API lists them: GET /v1/checks and /v1/check-groups"
    ).of(file)
  }
}

/// One check.
struct ChecklyCheck {
  let section: Section
  let group: Section?
  private var ledger: Ledger { section.ledger }

  init(_ section: Section, _ group: Section?) { (self.section, self.group) = (section, group) }

  func check() -> ImportedCheck? {
    let kind = (section.text("checkType") ?? section.text("type") ?? "API").uppercased()
    if ["TCP", "DNS", "ICMP", "HEARTBEAT"].contains(kind) { return withoutRequest(kind) }
    guard ["API", "URL"].contains(kind), let request = section.section("request"),
      let url = request.text("url")
    else {
      let word = kind.printable(maxBytes: 40)
      section.listAll("no check here does what one of type \(word) does")
      return nil
    }
    var check = ImportedCheck(name: section.text("name") ?? "unnamed", type: "http")
    let defaults = group?.section("apiCheckDefaults")
    address(url, request, defaults, &check)
    self.request(request, defaults, &check)
    pace(kind, &check)
    about(&check)
    var judge = ChecklyAssertions(ledger, fails: section.flag("shouldFail") == true)
    for assertion in (request["assertions"]?.items ?? []) + (defaults?["assertions"]?.items ?? []) {
      judge.take(assertion, &check)
    }
    judge.finish(&check)
    return finished(check, request, at: request["url"])
  }

  /// A monitor that sends no HTTP request.
  private func withoutRequest(_ kind: String) -> ImportedCheck? {
    guard var check = monitor(kind) else {
      section.listAll("it lacks what a check of type \(kind) needs")
      return nil
    }
    check.name = section.text("name") ?? "unnamed"
    about(&check)
    if section.flag("shouldFail") == true { check["negate"] = .plain("true") }
    let request = section.section("request")
    return finished(check, request, at: request?["hostname"] ?? request?["query"])
  }

  private func finished(_ made: ImportedCheck, _ request: Section?, at target: ForeignNode?) -> ImportedCheck?
  {
    var check = made
    let values = ChecklyPlaceholders.of([group, section].compactMap(\.self))
    if let why = values.replace(in: &check) {
      ledger.list(target, why)
      section.listAll("no check was made of it")
      return nil
    }
    rest(request)
    return check
  }

  private func about(_ check: inout ImportedCheck) {
    let isOff = section.flag("activated") == false || group?.flag("activated") == false
    if isOff { check["enabled"] = .plain("false") }
    if section["muted"]?.flag == false { section.carry("muted") }
    for tag in section.texts("tags") + (group?.texts("tags") ?? []) { check.tag(tag) }
    if let name = group?.text("name") { check.tag("group:\(name)") }
    if group != nil { section.carry("groupId") }
    section.list("the group is not in the file, so what it adds is missing", "groupId")
  }

  private func rest(_ request: Section?) {
    request?.list(Self.record, "checkId", "id", "created_at", "updated_at")
    request?.listRest()
    for name in ["setupSnippetId", "tearDownSnippetId", "localSetupScript", "localTearDownScript", "script"] {
      // A script may change the request and the verdict.
      section.list("scripts are not run here", name, change: isSet(name) ? .changed : nil)
    }
    for name in ["sslCheckDomain", "sslCheck"] where isSet(name) {
      section.list("write a tls check of that name", name, change: .laxer)
    }
    section.carry("sslCheckDomain", "sslCheck")
    section.list("write a mute, see docs/alerts.md", "muted")
    section.list(
      "write alerts.rules, see docs/alerts.md", "alertSettings", "alertChannelSubscriptions", "alertChannels",
      "useGlobalAlertSettings")
    section.list(
      "an agent probes from where it stands", "locations", "privateLocations", "runtimeId", "runParallel")
    section.list(
      Self.record, "id", "accountId", "created_at", "updated_at", "createdAt", "updatedAt", "checkVersion")
    section.list("a failed run is retried by retries", "doubleCheck")
    section.listRest()
  }

  private func isSet(_ name: String) -> Bool {
    !["", "0", "false"].contains(ByteText(section[name]?.text ?? ""))
  }

  private static let record = "an internal field of Checkly"

  // MARK: The request

  private func address(_ url: String, _ request: Section, _ defaults: Section?, _ check: inout ImportedCheck)
  {
    var text = url
    if let base = defaults?.text("url"), text.range(of: "GROUP_BASE_URL") != nil {
      for name in ["{{{GROUP_BASE_URL}}}", "{{GROUP_BASE_URL}}"] { text = text.replacing(name, with: base) }
    }
    if !text.contains("://"), !text.hasPrefix("{{") { text = "https://\(text)" }
    for parameter in (request["queryParameters"]?.items ?? []) + (defaults?["queryParameters"]?.items ?? []) {
      guard let key = parameter["key"]?.text, var value = parameter["value"]?.text, !key.isEmpty else {
        continue
      }
      if parameter["locked"]?.flag == true {
        let name = Self.variable(key)
        value = "{{\(name)}}"
        ledger.list(parameter["value"], "its value is a secret: set \(name) before the start", always: false)
      }
      ledger.carry(parameter)
      let fragment = text.firstIndex(of: "#").map { text[$0...] } ?? ""
      text =
        text.dropLast(fragment.count) + (text.contains("?") ? "&" : "?")
        + "\(Self.encoded(key))=\(Self.encoded(value))" + fragment
    }
    check.take(url: text)
  }

  /// The variable of a parameter that Checkly keeps secret.
  private static func variable(_ key: String) -> String {
    "QUERY_"
      + key.utf8.prefix(60).map { byte in
        let letter = Unicode.Scalar(byte)
        return GoPatternParser.word.contains(letter.value) ? String(letter).uppercased() : "_"
      }.joined()
  }

  /// Placeholders stay.
  private static func encoded(_ text: String) -> String {
    text.range(of: "{{") == nil ? percentEncoded(text) : text
  }

  private func request(_ request: Section, _ defaults: Section?, _ check: inout ImportedCheck) {
    if let method = request.text("method") { check["method"] = .text(method.uppercased()) }
    var named: Set<ByteText> = []
    // What the check says itself comes first.
    for header in (request["headers"]?.items ?? []) + (defaults?["headers"]?.items ?? []) {
      guard let name = header["key"]?.text, let value = header["value"]?.text, !name.isEmpty else { continue }
      guard named.insert(ByteText(name.lowercased())).inserted else {
        ledger.list(header, "the check has this header already", always: false)
        continue
      }
      ledger.carry(header)
      if header["locked"]?.flag == true {
        check.entry("headers", name, .secret(Redacted(value), as: name))
      } else {
        check.header(name, value)
      }
    }
    body(request, &check, hasType: named.contains("content-type"))
    if request.flag("followRedirects") == false { check["follow"] = .plain("false") }
    if request.flag("skipSSL") == true { check["tls.verify"] = .plain("false") }
    if let family = request.text("ipFamily") { check["ip"] = .text(family.hasSuffix("6") ? "6" : "4") }
    var isLoggedIn = check["auth"] != nil
    for auth in [request.section("basicAuth"), defaults?.section("basicAuth")].compactMap(\.self) {
      guard let name = auth.text("username"), !name.isEmpty, !isLoggedIn else {
        auth.carry("username", "password")
        continue
      }
      isLoggedIn = true
      check.login(name, auth.text("password") ?? "")
    }
  }

  private func body(_ request: Section, _ check: inout ImportedCheck, hasType: Bool) {
    let kind = request.text("bodyType") ?? "NONE"
    guard let body = request["body"]?.text, !body.isEmpty else {
      request.carry("body")
      return
    }
    guard kind != "NONE" else {
      request.list("bodyType is NONE, so Checkly does not send it", "body")
      return
    }
    request.carry("body")
    check.body(kind == "GRAPHQL" ? "{\"query\":\(JSONValue.string(body).text)}" : body)
    guard !hasType else { return }
    switch kind {
    case "JSON", "GRAPHQL": check.header("Content-Type", "application/json")
    case "FORM": check.header("Content-Type", "application/x-www-form-urlencoded")
    default: break
    }
  }

  // MARK: Pace

  private func pace(_ kind: String, _ check: inout ImportedCheck) {
    let interval = interval()
    // What Checkly takes where a check says nothing.
    let usual = kind == "URL" ? (warn: 3000, fail: 5000) : (warn: 10_000, fail: 20_000)
    let fail = section.number("maxResponseTime") ?? usual.fail
    let warn = section.number("degradedResponseTime") ?? usual.warn
    check.pace(interval: interval, timeout: min(interval, 30_000))
    // A time as long as the timeout fails by itself.
    let most = min(interval, 30_000)
    if warn > 0, warn < most { check["expect.response_time.warn"] = .duration(warn) }
    if fail > 0, fail < most { check["expect.response_time.fail"] = .duration(fail) }
    retries(&check)
  }

  /// Milliseconds.
  func interval() -> Int {
    let minutes = section.number("frequency") ?? 10
    let offset = minutes == 0 ? section.number("frequencyOffset") ?? 10 : nil
    section.carry("frequencyOffset")
    return offset.map { $0 * 1000 } ?? max(1, min(minutes, 40_000)) * 60_000
  }

  func retries(_ check: inout ImportedCheck) {
    guard let retry = section.section("retryStrategy") ?? group?.section("retryStrategy") else {
      let twice = section.flag("doubleCheck") ?? group?.flag("doubleCheck") ?? false
      check["retries"] = .plain(twice ? "1" : "0")
      return
    }
    section.carry("doubleCheck")
    let kind = retry["type"]?.text ?? "FIXED"
    if kind == "NO_RETRIES" {
      check["retries"] = .plain("0")
      retry.carry("type")
    } else {
      let most = kind == "SINGLE_RETRY" ? 1 : max(0, min(10, retry.number("maxRetries") ?? 2))
      check["retries"] = .number(most)
      check["retry_delay"] = .duration(max(0, min(retry.number("baseBackoffSeconds") ?? 60, 3600)) * 1000)
      if ["FIXED", "SINGLE_RETRY"].contains(kind) { retry.carry("type") }
      retry.list("retries are the same time apart here", "type")
    }
    if retry["sameRegion"]?.flag != false { retry.carry("sameRegion") }
    retry.list("retries have no limit of time of their own", "maxDurationSeconds")
    retry.list("each failure is retried", "onlyOn", change: .laxer)
    retry.listRest("an agent probes from where it stands")
  }
}
