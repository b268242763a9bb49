// SPDX-License-Identifier: MIT

import Import
import Testing

/// Texts as cloudprober reads them: templates, names of targets, bodies and labels; and its other forms of a file.
@Suite struct CloudproberTextsTests {
  private func read(_ probe: String, _ type: String = "HTTP", _ targets: String = "host_names: \"a.example\"")
    throws -> ReadSource
  {
    try ReadSource(
      .cloudprober, "probe {\n name: \"p\"\n type: \(type)\n targets { \(targets) }\n \(probe)\n}\n")
  }

  /// A template is worked out before the text is read, so it has quotes of its own.
  @Test func templatesHaveQuotesOfTheirOwn() throws {
    let made = try read(
      """
      additional_label { key: "src" value: "{{env "PLACE"}}" }
      http_probe { header { key: "Authorization" value: "Bearer {{env "AUTH_TOKEN"}}" } relative_url: "/{{ env "P" }}/x" }
      """)
    #expect(made.reasons == ["set these variables before the start: AUTH_TOKEN, P, PLACE"])
    #expect(
      try made.keys() == """
        type: http
        url: "http://a.example/${env:P}/x"
        headers:
          Authorization: "Bearer ${env:AUTH_TOKEN}"
        expect:
          status: any
        """)
    #expect(made.text.contains("tags: [\"src:${env:PLACE}\"]") && made.problems == [])
  }

  /// Commas part names, and blanks where there is no comma.
  @Test(arguments: [
    ("a.example, b.example", ["p a.example", "p b.example"]),
    ("a.example b.example\tc", ["p a.example", "p b.example", "p c"]), ("a.example,", ["p"]),
    ("a.example,https://b.example/x,c.example", ["p a.example", "p c.example"]),
  ])
  func namesOfTargets(names: String, checks: [String]) throws {
    let made = try read("", "HTTP", "host_names: \"\(names)\"")
    #expect(made.names == checks && made.problems == [])
    let why =
      "no check was made of \"https://b.example/x\": cloudprober takes no host with a / in it: "
      + "write an endpoint with its url"
    #expect(made.reasons == (names.contains("/") ? [why] : []))
  }

  /// All targets without a check are named, with the reason of each.
  @Test func targetsWithoutAPort() throws {
    let made = try read("", "TCP", "host_names: \"a,b:1,c,d/e,f,g,h,i,j\"")
    #expect(made.names == ["p b"])
    #expect(
      made.reasons == [
        "no check was made of \"a\", \"c\": it has no port; no check was made of \"d/e\": cloudprober takes no host "
          + "with a / in it: write an endpoint with its url; no check was made of \"f\", \"g\", \"h\", \"i\", \"j\": "
          + "it has no port"
      ])
  }

  /// A short body has the kind that cloudprober guesses, unless a header names it.
  @Test(
    arguments: [
      ("body: \"{\\\"a\\\": 1}\"", "application/json"), ("body: \"[]\"", "application/json"),
      ("body: \"a=1\"", "application/x-www-form-urlencoded"),
      ("body: \"a=%4a\" body: \"b=%Fg\"", nil), ("body: \"a=%4\"", nil), ("body: \"a=1;b=2\"", nil),
      // Several are joined, and JSON no longer.
      ("body: \"1\" body: \"2\"", "application/x-www-form-urlencoded"),
      ("body: \"a=1\" header { key: \"content-TYPE\" value: \"text/a\" }", nil), ("", nil),
      ("body: \"\(String(repeating: "a", count: 512))\"", "application/x-www-form-urlencoded"),
      ("body: \"\(String(repeating: "a", count: 513))\"", nil),
    ] as [(String, String?)])
  func kindsOfBodies(fields: String, kind: String?) throws {
    let check = try #require(try read("http_probe { method: POST \(fields) }").imported.checks.first)
    #expect(check["headers.Content-Type"]?.word == kind)
  }

  /// A label may say something of its target.
  @Test(arguments: [
    ("@target.name@:@target.port@", "a.example:81"), ("@target.label.app@", "shop"), ("@target.label.b@", ""),
    ("@target.ip@", "192.0.2.1"), ("x@target.name@", "xa.example"), ("a@b", "a@b"),
    ("@target.name@@", "a.example@"),
  ])
  func labelsOfTargets(value: String, tag: String) throws {
    let made = try read(
      "additional_label { key: \"k\" value: \"\(value)\" }", "TCP",
      "endpoint { name: \"a.example\" ip: \"192.0.2.1\" port: 81 labels { key: \"app\" value: \"shop\" } }")
    #expect(made.imported.checks.first?.tags == ["k:\(tag)"])
  }

  @Test func aLabelOfWhatIsNotKnown() throws {
    for value in ["@target.ip@", "@other@ @"] {
      let made = try read("additional_label { key: \"k\" value: \"\(value)\" }")
      #expect(made.imported.checks.first?.tags == [])
      #expect(made.reasonCounts == ["what it says of the target is known to cloudprober only": 2])
    }
  }

  @Test func whatIsOtherEachTime() throws {
    let made = try read(
      "http_probe { header { key: \"X-Id\" value: \"@uuid@\" } } ", "HTTP",
      "host_names: \"a.example\" regex: \"a.*\"")
    let notes = try #require(made.imported.checks.first).notes
    #expect(
      Set(notes.map { "\($0.change?.rawValue ?? ""): \($0.why)" }) == [
        "changed: each request has a number of its own there, and the text @uuid@ here",
        "changed: targets that it leaves out have a check: remove these",
      ])
  }

  @Test(
    arguments: [
      ("min_tls_version: TLS_1_2", "1.2", nil), ("max_tls_version: TLS_1_3", nil, "1.3"),
      ("min_tls_version: TLS_1_0 max_tls_version: TLS_1_1", "1.0", "1.1"), ("", nil, nil),
    ] as [(String, String?, String?)])
  func versionsOfTLS(fields: String, least: String?, most: String?) throws {
    let made = try read("http_probe { scheme: HTTPS tls_config { \(fields) } }")
    let check = try #require(made.imported.checks.first)
    #expect(check["tls.min_version"]?.word == least && check["tls.max_version"]?.word == most)
    #expect(made.reasons == [])
  }

  /// Targets that probes share are those of the file, and others are named.
  @Test func sharedTargets() throws {
    let made = try ReadSource(
      .cloudprober,
      """
      shared_targets { name: "t" targets { host_names: "a,b" } }
      shared_targets { name: "u" targets { host_names: "c" } }
      probe { name: "p" type: PING targets { shared_targets: "t" } }
      probe { name: "q" type: PING targets { shared_targets: "t" endpoint { name: "d" } } }
      probe { name: "r" type: PING targets { shared_targets: "v" dns_server: "192.0.2.53" } }
      """)
    #expect(made.names == ["p a", "p b", "q d", "q a", "q b"])
    #expect(
      made.reasonCounts == [
        "no probe with a check uses them": 2, "no file given has targets of this name": 1,
        "write resolver, see docs/checks.md": 1, "its targets are not listed in the file": 2,
      ])
  }

  @Test func includedFilesAreNamed() throws {
    let made = try ReadSource(
      .cloudprober, "include \"d/*.cfg\"\nprobe { name: \"p\" type: PING targets { host_names: \"a\" } }")
    #expect(made.reasons == ["probes of a file that it includes are in no check: give that file as well"])
  }

  /// The same probe as YAML and as JSON, whose maps are maps and whose names may be written together.
  @Test(arguments: [
    (
      "c.yaml",
      """
      probe:
        - name: p
          type: HTTP
          targets:
            endpoint:
              - name: n
                url: https://a.example:8443/x
                labels: {app: shop}
          interval: 30s
          http_probe:
            header: {X-A: b}
            max_redirects: 2
          validator:
            - name: v
              http_validator: {success_status_codes: "200"}
          additional_label: [{key: app, value: "@target.label.app@"}]
      """
    ),
    (
      "c.json",
      """
      {"probe": [{"name": "p", "type": "HTTP", "interval": "30s",
        "targets": {"endpoint": [{"name": "n", "url": "https://a.example:8443/x", "labels": {"app": "shop"}}]},
        "httpProbe": {"header": {"X-A": "b"}, "maxRedirects": 2},
        "validator": [{"name": "v", "httpValidator": {"successStatusCodes": "200"}}],
        "additionalLabel": [{"key": "app", "value": "@target.label.app@"}]}]}
      """
    ),
  ])
  func otherForms(name: String, text: String) throws {
    let made = try ReadSource(.cloudprober, [(name, text)])
    #expect(
      try made.keys() == """
        type: http
        url: https://a.example:8443/x
        max_redirects: 2
        headers:
          X-A: b
        expect:
          status: [200]
        """)
    let check = try #require(made.imported.checks.first)
    #expect(check["interval"]?.word == "30s" && check.tags == ["app:shop"] && made.problems == [])
  }

  @Test func jsonnetIsNamed() {
    #expect(throws: ImportProblem.self) { try ReadSource(.cloudprober, [("c.jsonnet", "{}")]) }
  }

  /// Probes that become nothing are left out by their names.
  @Test(arguments: [
    ("GRPC", "host_names: \"a\"", "no check here is of this kind: GRPC"),
    ("HTTP", "k8s { services: \"\" }", "its targets are not listed in the file"),
    (
      "TCP", "host_names: \"a\"", "no check was made of \"a\": it has no port"
    ),
  ])
  func probesLeftOut(type: String, targets: String, why: String) throws {
    let made = try read("", type, targets)
    #expect(made.names == [] && made.imported.carried == 0)
    #expect(made.imported.leftOut.map(\.name) == ["\"p\""] && made.imported.leftOut.map(\.why) == [why])
  }

  /// Half-made probes become no check, each with what it lacks.
  @Test func probesWithoutATypeOrTargets() throws {
    let made = try ReadSource(
      .cloudprober,
      """
      probe { name: "half" }
      probe { name: "aimless" type: HTTP }
      probe { name: "typeless" targets { host_names: "a.example" } }
      probe { }
      """)
    #expect(
      made.names == []
        && made.imported.leftOut.map { "\($0.name) \($0.why)" } == [
          "\"half\" it has no type", "\"aimless\" its targets are not listed in the file",
          "\"typeless\" it has no type", "\"unnamed\" it has no type",
        ])
  }

  /// Of the login in an address cloudprober sends nothing.
  @Test func loginsOfAddresses() throws {
    let made = try read("", "HTTP", "endpoint { name: \"e\" url: \"http://u:p4ss@a.example:81/x\" }")
    #expect(made.imported.checks.first?["url"]?.word == "http://a.example:81/x" && made.problems == [])
    #expect(made.reasons == ["cloudprober sends no login that is in a URL"] && !made.text.contains("p4ss"))
  }

  /// Of two settings of a header the last is sent, of `header` after `headers`.
  @Test(arguments: [
    ("headers { name: \"X-A\" value: \"b\" } headers { name: \"x-a\" value: \"c\" }", ["x-a c"]),
    ("header { key: \"X-A\" value: \"b\" } headers { name: \"X-A\" value: \"c\" }", ["X-A b"]),
    ("headers { name: \"X-A\" value: \"b\" } headers { name: \"X-B\" value: \"c\" }", ["X-A b", "X-B c"]),
    ("headers { name: \"User-Agent\" value: \"b\" } user_agent: \"c\"", ["User-Agent c"]),
  ])
  func headersOfOneName(fields: String, sent: [String]) throws {
    let made = try read("http_probe { \(fields) }")
    guard case .map(let headers)? = made.imported.checks.first?["headers"] else {
      Issue.record("no headers")
      return
    }
    #expect(headers.map { "\($0.name) \($0.value.word ?? "")" } == sent)
    let why = "another setting of the same header is sent"
    #expect(Set(made.reasons) == (sent.count == 1 ? [why] : []) && made.problems == [])
  }
}
