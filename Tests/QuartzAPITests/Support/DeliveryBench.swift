// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport

/// An uploader, a store and the fake backend on one fake clock, without sockets.
struct DeliveryBench {
  let clock = FakeClock()
  let fake: FakeQuartz
  let queue = MemoryQueue()
  let budget = MemoryBytes()
  let memory = MemoryBytes()
  let keys: KeyRing
  var target = DeliverSettings.Target.quartz
  var settings = DeliveryMachine.Settings()
  var login = SupabaseSettings.Login.password(
    email: FakeQuartz.email, password: Redacted(FakeQuartz.password))

  init(target: DeliverSettings.Target = .quartz, keys: KeyRing = KeyRing(Redacted(FakeQuartz.key))) {
    let clock = clock
    self.fake = FakeQuartz(now: { clock.elapsed.microseconds })
    self.keys = keys
    self.target = target
    settings.carriesMaintenance = target == .quartz
  }

  /// Another uploader on the same store and budget file: a restart.
  func uploader() throws -> Uploader { try uploader(on: queue) }

  func uploader(on queue: any DeliveryQueue) throws -> Uploader {
    let gate = RateGate(
      time: SteadyTime(clock.time), file: budget)
    let wire = Wire(exchange: InProcess(fake: fake), gate: gate)
    return Uploader(
      queue: queue, route: .init(try transport(over: wire), gate: gate, memory: memory, receiver: "bench"),
      settings: settings,
      generator: longest)
  }

  private func transport(over wire: Wire) throws -> any ResultTransport {
    if target == .supabase {
      let settings = SupabaseSettings(
        url: try HTTPURL("https://project.test"), apiKey: Redacted(FakeQuartz.anonKey), login: login)
      return SupabaseTransport(settings, withMessages: false, over: wire)
    }
    let quartz = QuartzSettings(url: try HTTPURL("https://api.test/v1"), apiKey: keys.key)
    let agent = Sender(name: "bench", region: "eu", version: "1.0")
    return QuartzTransport(quartz, keys: keys, agent: agent, over: wire)
  }

  /// Runs `uploader` until the condition holds, one sleep after another; false after `limit` of the clock's time.
  func run(
    _ uploader: Uploader, for limit: Duration = .seconds(3600),
    until isDone: @Sendable () async -> Bool
  ) async -> Bool {
    let end = clock.elapsed + limit
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await uploader.run() }
      var reached = false
      while true {
        await clock.someoneSleeps()
        reached = await isDone()
        if reached || clock.elapsed >= end { break }
        await clock.advanceToNext(limit: end)
      }
      group.cancelAll()
      return reached
    }
  }
}
