// SPDX-License-Identifier: MIT

enum FakeColumns {
  static let table: Set<String> = [
    "id", "monitoring_check_id", "status", "response_time_ms", "status_code", "error_message",
    "ssl_expiry_date",
    "checked_at", "ssl_days_remaining",
  ]
  static let agent: Set<String> = [
    "scheduled_at", "trigger", "state", "reason", "maintenance", "traced", "owner_rev",
  ]
}

struct FakeProblem {
  var status: Int
  var code: String
  var message: String
  var details: String?
}

extension FakeQuartz.State {
  /// What PostgreSQL would say of the row; nil: it fits the table.
  func problem(_ columns: [String: FakeJSON], extra: Set<String>) -> FakeProblem? {
    if let unknown = Set(columns.keys).subtracting(FakeColumns.table).subtracting(extra).sorted().first {
      return FakeProblem(status: 400, code: "PGRST204", message: "Could not find the '\(unknown)' column")
    }
    for name in ["id", "monitoring_check_id"] {
      guard let id = columns[name]?.string, id.utf8.count == 36 else {
        return FakeProblem(status: 400, code: "22P02", message: "invalid input syntax for type uuid")
      }
    }
    guard let status = columns["status"]?.string, ["success", "failure", "timeout"].contains(status) else {
      return FakeProblem(
        status: 400, code: "22P02", message: "invalid input value for enum check_result_status")
    }
    guard let at = columns["checked_at"]?.string, at.hasSuffix("Z") else {
      return FakeProblem(status: 400, code: "23502", message: "null value in column checked_at")
    }
    for name in ["response_time_ms", "status_code", "ssl_days_remaining"] {
      if let problem = integerProblem(columns[name]) { return problem }
    }
    if let text = columns["error_message"]?.string, text.unicodeScalars.contains("\0") {
      return FakeProblem(status: 400, code: "22P05", message: "unsupported Unicode escape sequence")
    }
    let check = columns["monitoring_check_id"]?.string ?? ""
    if refusesCheck(check) {
      return FakeProblem(status: 400, code: "22P02", message: "invalid input syntax for type inet")
    }
    guard acceptsCheck(check) else {
      return FakeProblem(
        status: 409, code: "23503", message: "insert or update violates foreign key constraint",
        details: "Key (monitoring_check_id)=(\(check)) is not present in table monitoring_checks.")
    }
    return nil
  }

  private func integerProblem(_ value: FakeJSON?) -> FakeProblem? {
    guard case .number(let digits) = value else {
      return value == .null || value == nil
        ? nil : FakeProblem(status: 400, code: "22P02", message: "no integer")
    }
    guard let number = Int64(digits) else {
      return FakeProblem(status: 400, code: "22P02", message: "invalid input syntax for type integer")
    }
    guard Int32(exactly: number) != nil else {
      return FakeProblem(status: 400, code: "22003", message: "value is out of range for type integer")
    }
    return nil
  }
}
