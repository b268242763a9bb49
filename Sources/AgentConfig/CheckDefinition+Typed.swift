// SPDX-License-Identifier: MIT

import Monitoring

// From typed keys to the definition: nothing is judged here.
extension CheckDefinition {
  init(_ map: TypedMap, references: References) {
    self.init()
    id = map.text("id")
    name = map.text("name")
    type = map.text("type")
    enabled = map.flag("enabled")
    post = map.flag("post")
    resource = map.text("resource")
    tags = map.texts("tags")
    interval = map.duration("interval")
    intervalFailing = map.duration("interval_failing")
    timeout = map.duration("timeout")
    retries = map.integer("retries")
    retryDelay = map.duration("retry_delay")
    confirmDelay = map.duration("confirm_delay")
    failureThreshold = map.integer("failure_threshold")
    ip = map.text("ip")
    addresses = map.text("addresses")
    resolver = map.text("resolver")
    sourceAddress = map.text("source_address")
    negate = map.flag("negate")
    request(map)
    authentication(map.map("auth"))
    connection(map)
    handshake(map, references)
    question(map)
    expectations(map.map("expect"))
    dnsExpectations(map.map("expect"))
  }

  private mutating func request(_ map: TypedMap) {
    url = map.text("url")
    hasSecretURL = map.isSecret(["url"])
    // The same key means a request's method to http and the way of asking to ping.
    method = type == CheckType.http.rawValue ? map.text("method") : nil
    if map["headers"] != nil {
      let given = map.map("headers")
      headers = given.entries.map { (name: $0.name, value: Redacted(given.text($0.name) ?? "")) }
    }
    body = map.text("body").map(Redacted.init)
    follow = map.flag("follow")
    maxRedirects = map.integer("max_redirects")
    allowDowngrade = map.flag("allow_downgrade")
    httpVersion = map.text("http_version")
    proxy = map.text("proxy").map(Redacted.init)
    decompress = map.flag("decompress")
    maxBody = map.integer("max_body")
    readBody = map.flag("read_body")
  }

  private mutating func authentication(_ auth: TypedMap) {
    // An empty name or password is reported as missing, with its place.
    if auth["basic"] != nil {
      basicUsername = auth.map("basic").text("username") ?? ""
      basicPassword = auth.map("basic").text("password").map(Redacted.init)
    }
    if auth["digest"] != nil {
      digestUsername = auth.map("digest").text("username") ?? ""
      digestPassword = auth.map("digest").text("password").map(Redacted.init)
    }
    bearer = auth.text("bearer").map(Redacted.init)
    guard auth["oauth2"] != nil else { return }
    let given = auth.map("oauth2")
    var oauth = OAuth2Definition()
    oauth.tokenURL = given.text("token_url")
    oauth.clientID = given.text("client_id")
    oauth.clientSecret = given.text("client_secret").map(Redacted.init)
    oauth.scopes = given.texts("scopes")
    oauth2 = oauth
  }

  private mutating func connection(_ map: TypedMap) {
    host = map.text("host")
    port = map.integer("port")
    startTLS = map.text("starttls")
    dialogPreset = map.text("dialog")
    dialogSteps = map.list("dialog")?.map { item in
      var step = DialogStepDefinition()
      guard case .map(let given) = item.value else { return step }
      step.send = given.text("send").map(Redacted.init)
      step.sendHex = given.text("send_hex").map(Redacted.init)
      step.expect = given.text("expect")
      step.expectHex = given.text("expect_hex")
      return step
    }
    pingMethod = type == CheckType.ping.rawValue ? map.text("method") : nil
    count = map.integer("count")
    packetInterval = map.duration("packet_interval")
    size = map.integer("size")
  }

  private mutating func handshake(_ map: TypedMap, _ references: References) {
    func path(_ text: String?) -> String? {
      text.map { $0.isEmpty ? $0 : normalised(references.absolute($0)) }
    }
    let tls = map.map("tls")
    tlsEnabled = map["tls"].map { _ in map.flag("tls") ?? true }
    tlsCAFile = path(tls.text("ca_file"))
    tlsServerName = tls.text("server_name")
    tlsVerify = tls.flag("verify")
    tlsMinVersion = tls.text("min_version")
    tlsMaxVersion = tls.text("max_version")
    tlsClientCertificate = path(tls.text("client_certificate"))
    tlsClientKey = path(tls.text("client_key"))
  }

  private mutating func question(_ map: TypedMap) {
    server = map.text("server")
    transport = map.text("transport")
    let query = map.map("query")
    queryName = query.text("name")
    queryType = query.text("type")
    queryClass = query.text("class")
    queryRecursion = query.flag("recursion")
    queryDNSSEC = query.flag("dnssec")
  }

  private mutating func expectations(_ map: TypedMap) {
    let status = map.texts("status")
    // To the judge, `any` is the empty list.
    expectStatus = status == ["any"] ? [] : (status?.isEmpty == true ? nil : status)
    let body = map.map("body")
    expectBodyContains = body.texts("contains")
    expectBodyNotContains = body.texts("not_contains")
    expectBodyMatches = body.texts("matches")
    expectBodyNotMatches = body.texts("not_matches")
    expectHeaders = map["header"].map { _ in map.conditions("header").map { (name: $0.0, condition: $0.1) } }
    expectJSON = map["json"].map { _ in map.map("json").literals.map { (path: $0.0, condition: $0.1) } }
    expectFinalURL = map.text("final_url")
    expectHTTPVersion = map.text("http_version")
    expectResponseTime = map.map("response_time").durations
    expectCertificate = map.map("certificate").durations
    expectLoss = Thresholds(warn: map.map("loss").number("warn"), fail: map.map("loss").number("fail"))
    expectRTT = map.map("rtt").durations
  }

  private mutating func dnsExpectations(_ map: TypedMap) {
    expectRcode = map.texts("rcode")
    let answers = map.map("answers")
    expectAnswersAny = answers.texts("any")
    expectAnswersAll = answers.texts("all")
    expectAnswersExact = answers.texts("exact")
    expectAnswersNone = answers.texts("none")
    expectCount = map.text("count")
    expectTTL = map.text("ttl")
    expectAuthoritative = map.flag("authoritative")
    expectSerialAgreement = map.flag("serial_agreement")
  }
}

extension TypedMap {
  fileprivate var durations: Thresholds<Duration> {
    Thresholds(warn: duration("warn"), fail: duration("fail"))
  }

  fileprivate var literals: [(String, ConditionText)] {
    entries.compactMap { entry in
      text(entry.name).map { (entry.name, ConditionText($0, isPlain: entry.value.isPlain)) }
    }
  }

  fileprivate func conditions(_ name: String) -> [(String, String)] {
    let given = map(name)
    return given.entries.compactMap { entry in given.text(entry.name).map { (entry.name, $0) } }
  }
}
