// SPDX-License-Identifier: MIT

extension FakeQuartz.State {
  /// 100 a minute and 1,000 an hour; a refused request counts as well.
  mutating func limit(at now: Int64) -> FakeAnswer? {
    guard enforcesLimits else { return nil }
    let minute = requests.reversed().prefix { $0.at > now - 60_000_000 }.count
    let hour = requests.reversed().prefix { $0.at > now - 3_600_000_000 }.count
    guard minute > 100 || hour > 1000 else { return nil }
    limited += 1
    return .json(429, "{\"message\":\"slow down\"}", ["retry-after": "30"])
  }

  mutating func route(_ request: FakeRequest, at now: Int64) -> FakeAnswer {
    if request.path == "/auth/v1/token" { return signIn(request, at: now) }
    if request.path == "/rest/v1/check_results" { return insert(request, at: now) }
    guard let key = request.headers["x-api-key"], keys.contains(key) else {
      return error(401, "UNAUTHORIZED", "Invalid or missing API key")
    }
    switch (request.method, request.path.split(separator: "/").last ?? "") {
    case ("GET", "monitoring-checks"): return list(request)
    case ("GET", "maintenance-windows"):
      return page(windows.sorted { $0.id < $1.id }.map(\.json), request)
    case ("PUT", let id) where request.path.contains("/resources/"): return setResource(String(id), request)
    case ("POST", "check-results") where hasIngest: return ingest(request)
    default: return error(404, "NOT_FOUND", "Unknown endpoint")
    }
  }

  private func error(_ status: Int, _ code: String, _ message: String) -> FakeAnswer {
    .json(status, "{\"success\":false,\"error\":{\"code\":\"\(code)\",\"message\":\"\(message)\"}}")
  }

  /// `GET /monitoring-checks` with the deployed code's behaviour: an absent filter means "not enabled", pages are of
  /// at most 100, a page past the end is a 500, and the default order is no order.
  private func list(_ request: FakeRequest) -> FakeAnswer {
    let wanted = request.query["is_enabled"] == "true"
    var rows = checks.filter { $0.isEnabled == wanted }
    let page = Int(request.query["page"] ?? "1") ?? 1
    if request.query["sort_by"] == "id", request.query["sort_order"] == "asc" {
      rows.sort { $0.id < $1.id }
    } else {
      // Rows of one created_at come in whatever order the plan of this page gives.
      rows.sort { ($1.createdAt, $0.id.hashed(page)) < ($0.createdAt, $1.id.hashed(page)) }
    }
    return self.page(rows.map(\.json), request)
  }

  private func page(_ rows: [String], _ request: FakeRequest) -> FakeAnswer {
    let page = Int(request.query["page"] ?? "1") ?? 1
    let perPage = min(100, Int(request.query["per_page"] ?? "50") ?? 50)
    let offset = (page - 1) * perPage
    guard page >= 1, offset <= rows.count else {
      return error(500, "INTERNAL_ERROR", "Requested range not satisfiable")
    }
    let data = rows.dropFirst(offset).prefix(perPage).joined(separator: ",")
    let pages = (rows.count + perPage - 1) / max(1, perPage)
    let meta = "{\"page\":\(page),\"per_page\":\(perPage),\"total\":\(rows.count),\"total_pages\":\(pages)}"
    return .json(200, "{\"success\":true,\"data\":[\(data)],\"meta\":\(meta)}")
  }

  /// `PUT /resources/{id}`; an id the table does not have is a 500, as everything is.
  private mutating func setResource(_ id: String, _ request: FakeRequest) -> FakeAnswer {
    guard knowsResource(id), let status = FakeJSON(request.body)?["status"]?.string else {
      return error(500, "INTERNAL_ERROR", "Cannot coerce the result to a single JSON object")
    }
    resourceUpdates.append(FakeResourceUpdate(id: id, status: status))
    return .json(200, "{\"success\":true,\"data\":{\"id\":\"\(id)\",\"status\":\"\(status)\"}}")
  }

  /// `POST /check-results`: a verdict for each row.
  private mutating func ingest(_ request: FakeRequest) -> FakeAnswer {
    guard mayWrite else { return error(403, "42501", "key may not post results") }
    guard let body = FakeJSON(request.body), let agent = body["agent"], agent["name"]?.string != nil,
      agent["version"]?.string != nil, let results = body["results"]?.array
    else { return error(400, "BAD_REQUEST", "agent and results are required") }
    if results.count > maxRows { return error(413, "TOO_LARGE", "too many results") }
    lastAgent = agent
    var accepted = 0
    var repeated = 0
    var rejected: [String] = []
    for result in results {
      guard case .object(let columns) = result, let id = columns["id"]?.string else {
        return error(400, "BAD_REQUEST", "a result needs an id")
      }
      if let problem = problem(columns, extra: FakeColumns.agent) {
        rejected.append("{\"id\":\"\(id)\",\"code\":\"\(problem.code)\",\"message\":\"\(problem.message)\"}")
      } else if store(columns) {
        accepted += 1
      } else {
        repeated += 1
      }
    }
    duplicates += repeated
    let list = rejected.joined(separator: ",")
    return .json(
      200,
      "{\"success\":true,\"data\":{\"accepted\":\(accepted),\"duplicates\":\(repeated),\"rejected\":[\(list)]}}"
    )
  }

  private mutating func signIn(_ request: FakeRequest, at now: Int64) -> FakeAnswer {
    guard request.headers["apikey"] == FakeQuartz.anonKey else {
      return .json(401, "{\"message\":\"No API key\"}")
    }
    guard request.query["grant_type"] == "password", let body = FakeJSON(request.body),
      body["email"]?.string == FakeQuartz.email, body["password"]?.string == FakeQuartz.password
    else {
      return .json(400, "{\"error\":\"invalid_grant\",\"error_description\":\"Invalid login credentials\"}")
    }
    signIns += 1
    let token = "token-\(signIns)"
    tokens[token] = now + tokenLife * 1_000_000
    return .json(200, "{\"access_token\":\"\(token)\",\"token_type\":\"bearer\",\"expires_in\":\(tokenLife)}")
  }

  /// PostgREST: one statement, one transaction, one bad row refuses all.
  private mutating func insert(_ request: FakeRequest, at now: Int64) -> FakeAnswer {
    guard request.method == "POST", request.headers["apikey"] != nil else {
      return pg(401, "PGRST301", "No API key")
    }
    let bearer = request.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
    if bearer != FakeQuartz.serviceKey {
      guard let end = tokens[bearer] else { return pg(401, "PGRST301", "JWSError JWSInvalidSignature") }
      guard end > now else { return pg(401, "PGRST301", "JWT expired") }
      guard mayWrite else { return pg(403, "42501", "new row violates row-level security policy") }
    }
    guard request.headers["content-type"] == "application/json", let results = FakeJSON(request.body)?.array
    else {
      return pg(400, "PGRST102", "Empty or invalid json")
    }
    if results.count > maxRows { return .respond(413, [:], []) }
    var rows: [[String: FakeJSON]] = []
    for result in results { if case .object(let columns) = result { rows.append(columns) } }
    guard rows.count == results.count, Set(rows.map { Set($0.keys) }).count <= 1 else {
      return pg(400, "PGRST102", "All object keys must match")
    }
    let ignores = (request.headers["prefer"] ?? "").contains("resolution=ignore-duplicates")
    for columns in rows {
      if let problem = problem(columns, extra: []) {
        return pg(problem.status, problem.code, problem.message, problem.details)
      }
      if !ignores, self.rows[columns["id"]?.string ?? ""] != nil {
        return pg(409, "23505", "duplicate key value violates unique constraint")
      }
    }
    for columns in rows where !store(columns) { duplicates += 1 }
    return .respond(
      201, ["preference-applied": "resolution=ignore-duplicates, return=minimal", "content-range": "*/*"], [])
  }

  private func pg(_ status: Int, _ code: String, _ message: String, _ details: String? = nil) -> FakeAnswer {
    let details = details.map { "\"\($0)\"" } ?? "null"
    return .json(
      status, "{\"code\":\"\(code)\",\"details\":\(details),\"hint\":null,\"message\":\"\(message)\"}")
  }

  private mutating func store(_ columns: [String: FakeJSON]) -> Bool {
    guard let id = columns["id"]?.string, rows[id] == nil else { return false }
    rows[id] = FakeRow(id: id, check: columns["monitoring_check_id"]?.string ?? "", columns: columns)
    order.append(id)
    return true
  }
}

extension String {
  /// Some number of the text and the seed, the same in every run.
  fileprivate func hashed(_ seed: Int) -> UInt32 {
    utf8.reduce(UInt32(truncatingIfNeeded: seed) &* 40_503 &+ 2_166_136_261) {
      ($0 ^ UInt32($1)) &* 16_777_619
    }
  }
}
