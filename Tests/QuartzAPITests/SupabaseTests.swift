// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport
import Testing

@Suite struct SupabaseTests {
  /// Tokens of ten minutes are renewed after eight, so none is ever refused.
  @Test func tokenIsRenewedAtFourFifths() async throws {
    let bench = DeliveryBench(target: .supabase)
    bench.fake.setTokenLife(600)
    let uploader = try bench.uploader()
    for minute in 0..<60 {
      bench.queue.append([record(minute + 1)])
      _ = await bench.run(uploader, for: .seconds(60)) { false }
    }
    #expect(bench.queue.open == 0)
    #expect(bench.fake.rows.count == 60)
    #expect((7...8).contains(bench.fake.signIns))
    let status = await uploader.status()
    #expect(status.tally.trouble == nil)
  }

  /// The project forgot the session; "JWT expired" signs in again at once.
  @Test func expiredTokenSignsInAgain() async throws {
    let bench = DeliveryBench(target: .supabase)
    let uploader = try bench.uploader()
    bench.queue.append([record(1)])
    #expect(await bench.run(uploader) { bench.queue.open == 0 })
    bench.fake.meet(.status(401, #"{"code":"PGRST301","details":null,"hint":null,"message":"JWT expired"}"#))
    bench.queue.append([record(2)])
    #expect(await bench.run(uploader, for: .seconds(16)) { bench.queue.open == 0 })
    #expect(bench.fake.signIns == 2)
  }

  @Test func wrongPasswordIsSaidAndNothingIsQuarantined() async throws {
    var bench = DeliveryBench(target: .supabase)
    bench.login = .password(email: FakeQuartz.email, password: Redacted("wrong"))
    bench.queue.append([record(1)])
    let uploader = try bench.uploader()
    #expect(await bench.run(uploader, for: .seconds(1300)) { false } == false)
    let trouble = await uploader.status().tally.trouble
    #expect(trouble?.what == "supabase refuses the sign-in (400)")
    #expect(bench.queue.snapshot.quarantined.isEmpty)
    #expect(bench.fake.requests.count <= 8)
  }

  @Test func serviceKeyNeedsNoSignIn() async throws {
    var bench = DeliveryBench(target: .supabase)
    bench.login = .serviceKey(Redacted(FakeQuartz.serviceKey))
    let queue = bench.queue
    queue.append(records(3))
    #expect(await bench.run(try bench.uploader()) { queue.open == 0 })
    #expect(bench.fake.signIns == 0)
    #expect(bench.fake.rows.count == 3)
  }

  /// A maintenance result has no place in the table as it is today.
  @Test func maintenanceStaysHere() async throws {
    let bench = DeliveryBench(target: .supabase)
    bench.queue.append([record(1), record(2) { $0.flags.insert(.maintenance) }])
    #expect(await bench.run(try bench.uploader()) { bench.queue.open == 0 })
    #expect(bench.fake.rows.map(\.id) == [record(1).id.description])
  }
}
