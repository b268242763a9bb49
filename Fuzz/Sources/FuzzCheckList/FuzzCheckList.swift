// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring
@testable import QuartzAPI

/// A page of the API's list, of checks or of maintenance windows, as its JSON or as one row of it; what is read is
/// mapped to checks, their names shown, their windows asked, and the list kept and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let json = try? JSONValue.parse(UnsafeBufferPointer(start: start, count: count)) else { return 0 }
  var checks = ListWalk<WireCheck>(limit: 2000)
  _ = try? checks.add(json)
  var windows = ListWalk<WireWindow>(limit: 2000)
  _ = try? windows.add(json)
  var snapshot = CheckSnapshot(checks: checks.rows, windows: windows.rows)
  if let check = try? WireCheck(json) { snapshot.checks.append(check) }
  if let window = try? WireWindow(json) { snapshot.windows.append(window) }
  if !snapshot.checks.isEmpty || !snapshot.windows.isEmpty { take(snapshot) }
  return 0
}

private func take(_ snapshot: CheckSnapshot) {
  let mapping = CheckMapping(MappingRules())
  var budget = mapping.freshBudget
  let now = Timestamp(seconds: 1_772_000_000)
  let pulled = mapping.map(snapshot, budget: &budget, now: now, wall: now)
  precondition(pulled.checks.count + pulled.skipped.count <= snapshot.checks.count)
  for check in pulled.checks {
    _ = check.target
    if let host = check.kind.destination?.host { _ = InternationalName.unicode(host) }
  }
  for window in pulled.windows {
    for instant in [Int64.min, 0, 1_772_000_000_000_000, .max].map(Timestamp.init(microseconds:)) {
      _ = (window.occurrence(at: instant), window.next(after: instant))
    }
  }
  _ = MaintenancePlan(pulled.windows, checks: pulled.checks)
  _ = CheckChange.between(snapshot.checks, [])
  var json = JSONWriter()
  json.array { json in
    for check in snapshot.checks { check.write(into: &json, withSecrets: true) }
  }
  guard let again = try? JSONValue.parse(json.bytes).array else { preconditionFailure("no JSON") }
  for (row, check) in zip(again, snapshot.checks) { precondition((try? WireCheck(row)) == check) }
}
