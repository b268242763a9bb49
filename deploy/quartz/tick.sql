-- SPDX-License-Identifier: MIT
--
-- What only time brings, once a minute by pg_cron and, where that stands still, with an agent's batch: late rows, missing
-- heartbeats, silent agents, checks without results, ends of incidents, reminders. After rebuild.sql.

-- Takes the row of a check and of its resource, in the order of ingest.sql, without waiting; false: another one has them.
create or replace function quartz_agent.take(id uuid) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.resources r where r.id = (select c.resource_id from public.monitoring_checks c where c.id = take.id)
  for no key update skip locked;
  if not found then
    return false;
  end if;
  perform from public.monitoring_checks c where c.id = take.id for no key update skip locked;
  return found;
end $$;

create or replace function quartz_agent.set_status(resource uuid, wanted public.resource_status) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.resources r where r.id = resource and r.status <> wanted for no key update skip locked;
  if found then
    update public.resources r set status = wanted where r.id = resource;
  end if;
end $$;

-- Late rows, a minute after the last of them or ten after the first.
create or replace function quartz_agent.tick_dirty(budget interval, quiet interval) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  d quartz_agent.dirty;
  done integer := 0;
begin
  for d in
    select * from quartz_agent.dirty x
    where x.touched_at <= now() - quiet or x.first_at < now() - interval '10 minutes' order by x.first_at, x.check_id limit 500
  loop
    exit when clock_timestamp() > now() + budget;
    continue when not quartz_agent.take(d.check_id);
    begin
      -- A batch may have brought more of them meanwhile: these are stored by now, since it had the check's row.
      select * into d from quartz_agent.dirty x where x.check_id = d.check_id;
      perform quartz_agent.rebuild(d.check_id, d.since);
      delete from quartz_agent.dirty x where x.check_id = d.check_id;
      done := done + 1;
    exception when others then
      raise warning 'rebuilding check %: % %', d.check_id, sqlstate, sqlerrm;
      -- To the end of the line: one that cannot be rebuilt holds up no other.
      update quartz_agent.dirty x set touched_at = now(), first_at = now() where x.check_id = d.check_id;
    end;
  end loop;
  return done;
end $$;

-- A heartbeat that is overdue by half its interval fails each minute, as a row of the agent 'backend'; a beat ends that.
create or replace function quartz_agent.tick_heartbeats() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  beating uuid;
  c public.monitoring_checks;
  beat timestamptz;
  every interval;
  seen timestamptz;
  rows quartz_agent.observation[];
  said quartz_agent.replayed;
  t quartz_agent.turning;
  row_id uuid;
begin
  for beating in select x.id from public.monitoring_checks x where x.check_type::text = 'heartbeat' and x.is_enabled order by x.id loop
    continue when not quartz_agent.take(beating);
    select * into c from public.monitoring_checks x where x.id = beating;
    beat := coalesce(c.last_heartbeat_at, c.created_at);
    every := make_interval(secs => coalesce(nullif(greatest(c.heartbeat_interval_seconds, 0), 0), 300));
    select s.evaluated_to into seen from quartz_agent.place_state s where s.check_id = beating and s.place = 'backend';
    rows := '{}';
    row_id := gen_random_uuid();
    if c.last_heartbeat_at > coalesce(seen, '-infinity') then
      rows := rows || (md5(beating || '/' || c.last_heartbeat_at)::uuid, least(c.last_heartbeat_at, now()), 'backend', true, false, null, null, null, null)::quartz_agent.observation;
    end if;
    if quartz_agent.in_window(c.resource_id, now()) then
      rows := rows || (row_id, now(), 'backend', true, true, null, null, null, null)::quartz_agent.observation;
    elsif now() > beat + every * 1.5
      -- Not one that the database was away for: it has its time again, up to ten minutes.
      and not coalesce((select beat + every * 1.5 >= s.away_from and now() < s.resumed_at + least(every * 1.5, interval '10 minutes')
        from quartz_agent.settings s), false)
      and coalesce(seen, '-infinity') < now() - interval '30 seconds' then
      insert into public.check_results (id, monitoring_check_id, status, error_message, checked_at, agent, trigger, state, reason, maintenance)
      values (row_id, beating, 'failure', 'heartbeat_overdue', now(), 'backend', 'schedule', 'down', 'heartbeat_overdue', false);
      rows := rows || (row_id, now(), 'backend', false, false, null, null, 'heartbeat_overdue', null)::quartz_agent.observation;
      perform quartz_agent.refresh_resources(array[beating], now());
    end if;
    continue when cardinality(rows) = 0;
    said := quartz_agent.replay(c, quartz_agent.known_places(beating), quartz_agent.known_alarms(beating), rows);
    perform quartz_agent.keep_places(beating, said.places);
    foreach t in array said.turns loop
      perform quartz_agent.turn(c, t);
    end loop;
    if quartz_agent.mode() = 'on' then
      update public.monitoring_checks x set current_failure_count = said.failures
      where x.id = beating and x.current_failure_count is distinct from coalesce(said.failures, x.current_failure_count);
      perform quartz_agent.insist(c, now(), row_id);
    end if;
  end loop;
end $$;

-- The caller has the check's row.
create or replace function quartz_agent.forget_failures(id uuid) returns void language sql as $$
  delete from quartz_agent.alarm a where a.check_id = forget_failures.id;
  update quartz_agent.place_state s set failures = 0, failing_since = null, is_slow = false, is_expiring = false
  where s.check_id = forget_failures.id
$$;

-- A check that is disabled starts without its failures when it is enabled: they are none of a series then, and an alarm that was on,
-- in shadow or of an alert that was resolved by hand, would keep another one from being opened.
create or replace function quartz_agent.tick_disabled() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  x record;
begin
  for x in
    select c.id from public.monitoring_checks c where not c.is_enabled and (
      exists (select from quartz_agent.alarm a where a.check_id = c.id and a.is_on)
      or exists (select from quartz_agent.place_state s where s.check_id = c.id and (s.failures > 0 or s.is_slow or s.is_expiring)))
      -- Its end goes with that.
      and not exists (select from public.alerts a where a.monitoring_check_id = c.id and a.alert_key is not null and a.resolved_at is null)
    order by c.id
  loop
    continue when not quartz_agent.take(x.id) or exists (select from public.monitoring_checks c where c.id = x.id and c.is_enabled);
    perform quartz_agent.forget_failures(x.id);
  end loop;
end $$;

-- Checks that nothing ran lately: their resource is unknown; after a day their alerts end. Checks that are disabled or gone.
create or replace function quartz_agent.tick_checks() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  x record;
begin
  for x in
    select c.resource_id as id from public.monitoring_checks c join quartz_agent.place_state s on s.check_id = c.id
    where c.is_enabled and c.check_type::text <> 'heartbeat'
      -- A beat that comes says something as well, and a missing one is a row each minute.
      and not exists (select from public.monitoring_checks h where h.resource_id = c.resource_id and h.is_enabled
        and h.check_type::text = 'heartbeat')
    group by c.resource_id
    having bool_and(s.evaluated_to < now() - greatest(interval '5 minutes',
      3 * make_interval(secs => least(greatest(c.check_interval_seconds, 0), 86400)) + interval '2 minutes'))
  loop
    -- A row that is newer than what was evaluated, of another writer or in maintenance, says something as well.
    continue when exists (select from public.monitoring_checks c join public.check_results r on r.monitoring_check_id = c.id
      where c.resource_id = x.id and c.is_enabled and r.checked_at > now() - interval '5 minutes');
    perform quartz_agent.set_status(x.id, 'unknown');
  end loop;
  for x in
    select a.id, c.id as check_id, c.is_enabled,
      coalesce((select max(s.evaluated_to) from quartz_agent.place_state s where s.check_id = c.id), '-infinity') as heard
    from public.alerts a left join public.monitoring_checks c on c.id = a.monitoring_check_id
    where a.resolved_at is null and a.monitoring_check_id is not null and a.alert_key is not null
  loop
    if x.check_id is null then
      update public.alerts a set resolved_at = greatest(date_trunc('second', now()), a.triggered_at), resolution = 'deleted' where a.id = x.id;
    elsif not x.is_enabled then
      continue when not quartz_agent.take(x.check_id);
      update public.alerts a set resolved_at = greatest(date_trunc('second', now()), a.triggered_at), resolution = 'disabled' where a.id = x.id;
      perform quartz_agent.forget_failures(x.check_id);
    elsif x.heard < now() - interval '24 hours' and isfinite(x.heard) then
      update public.alerts a set resolved_at = greatest(date_trunc('second', now()), a.triggered_at), resolution = 'no agent runs it' where a.id = x.id;
    end if;
  end loop;
  -- The apps resolve by setting the time alone.
  update public.alerts a set resolution = 'by hand' where a.alert_key is not null and a.resolved_at is not null and a.resolution is null;
end $$;

-- Incidents whose alerts have all been over for a minute are resolved, and told where their begin was. Then reminders.
create or replace function quartz_agent.tick_incidents() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  x record;
begin
  perform quartz_agent.hold_incidents();
  for x in
    select i.id, coalesce(max(a.resolved_at), now()) as ended, (array_agg(a.id order by a.triggered_at))[1] as alert_id
    from public.incidents i left join public.incident_alerts l on l.incident_id = i.id left join public.alerts a on a.id = l.alert_id
    where i.incident_key is not null and i.status = 'open' group by i.id
    having coalesce(bool_and(a.resolved_at is not null and a.resolved_at <= now() - interval '60 seconds') filter (where a.id is not null), true)
  loop
    update public.incidents i set status = 'resolved', resolved_at = x.ended where i.id = x.id and i.status = 'open';
    continue when not found;
    perform quartz_agent.tell_end(x.id, x.alert_id);
  end loop;
  -- A person who resolved the incident, or is at it, gets the end of its alerts told as well.
  for x in
    select n.incident_id as id, (array_agg(n.alert_id))[1] as alert_id
    from public.alert_notifications n join public.incidents i on i.id = n.incident_id
    where n.state in ('waiting', 'sent') and n.created_at > now() - interval '30 days' and i.status <> 'open'
      and not exists (select from public.incident_alerts l join public.alerts a on a.id = l.alert_id
        where l.incident_id = i.id and (a.resolved_at is null or a.resolved_at > now() - interval '60 seconds'))
    group by n.incident_id, n.channel_id
    having count(*) filter (where n.what = 'opened') > count(*) filter (where n.what = 'resolved')
  loop
    perform quartz_agent.tell_end(x.id, x.alert_id);
  end loop;
  insert into public.alert_notifications (incident_id, alert_id, channel_id, what, occurrence)
  select q.incident_id, q.alert_id, q.channel_id, 'reminder', q.reminders + 1
  from (
    select n.incident_id, n.channel_id, (array_agg(n.alert_id order by n.created_at))[1] as alert_id,
      count(*) filter (where n.what = 'reminder') as reminders, max(n.sent_at) as last,
      bool_or(n.state = 'waiting') as waits,
      count(*) filter (where n.what = 'opened' and n.state = 'sent') > count(*) filter (where n.what = 'resolved' and n.state <> 'dropped') as knows
    from public.alert_notifications n join public.incidents i on i.id = n.incident_id and i.status <> 'resolved'
    group by n.incident_id, n.channel_id) q
  where q.knows and not q.waits and q.last <= now() - (select s.remind from quartz_agent.settings s)
    and exists (select from public.incident_alerts l join public.alerts a on a.id = l.alert_id
      where l.incident_id = q.incident_id and a.resolved_at is null and a.acknowledged_at is null)
  on conflict do nothing;
end $$;

-- What waits about an incident that is over is dropped; channels that were told of its begin are told of its end.
create or replace function quartz_agent.tell_end(incident uuid, alert uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  update public.alert_notifications n set state = 'dropped', error = 'over before it was sent'
  where n.incident_id = incident and n.state = 'waiting' and n.what <> 'resolved' and n.lease_until is null and not n.maybe_sent;
  insert into public.alert_notifications (incident_id, alert_id, channel_id, what, occurrence)
  select incident, alert, n.channel_id, 'resolved', count(*) filter (where n.what = 'resolved') + 1
  from public.alert_notifications n where n.incident_id = incident
  group by n.channel_id
  having count(*) filter (where n.what = 'opened' and n.state in ('waiting', 'sent'))
    > count(*) filter (where n.what = 'resolved' and n.state in ('waiting', 'sent'))
  on conflict do nothing;
end $$;

create or replace function quartz_agent.tick_retention() returns void language plpgsql as $$
begin
  delete from public.alert_notifications n where n.state <> 'waiting' and n.created_at < now() - interval '30 days';
  delete from quartz_agent.shadow_log l where l.noted_at < now() - interval '30 days';
  delete from quartz_agent.key_told k where k.since < now() - interval '1 day';
  perform quartz_agent.tick_changes();
end $$;

-- What the tick does in the mode that is set.
create or replace function quartz_agent.tick_parts() returns text[] language sql stable as $$
  select case s.alerts when 'on' then '{move,heartbeats,disabled,checks,dirty,agents,incidents,asks,retention}'::text[]
    when 'shadow' then '{disabled,dirty,asks,retention}' else '{}' end from quartz_agent.settings s
$$;

-- One part of the tick; an error in it costs the others nothing.
create or replace function quartz_agent.tick_part(part text, budget interval, quiet interval) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  -- The mode may have changed since the tick began; and it is read before anything is held, as a batch and a cutover do.
  if not part = any (quartz_agent.tick_parts()) then
    return;
  end if;
  -- Before any alert, and never after waiting for a row: nobody waits in a circle.
  if part not in ('dirty', 'disabled', 'retention') then
    perform quartz_agent.hold_incidents();
  end if;
  case part
    when 'dirty' then perform quartz_agent.tick_dirty(budget, quiet);
    when 'heartbeats' then perform quartz_agent.tick_heartbeats();
    when 'agents' then perform quartz_agent.tick_agents();
    when 'disabled' then perform quartz_agent.tick_disabled();
    when 'checks' then perform quartz_agent.tick_checks();
    when 'incidents' then perform quartz_agent.tick_incidents();
    when 'move' then perform quartz_agent.tick_move();
    when 'asks' then perform quartz_agent.tick_asks();
    when 'retention' then perform quartz_agent.tick_retention();
  end case;
exception when others then
  raise warning 'tick, %: % %', part, sqlstate, sqlerrm;
end $$;

-- Notes that the tick runs, and where it had not for longer than an agent's contact of a minute makes it wait, that the database was
-- away: of that time nothing is known of agents and heartbeats.
create or replace function quartz_agent.note_tick() returns void language sql as $$
  update quartz_agent.settings s set last_tick = now(),
    away_from = case when s.last_tick < now() - interval '150 seconds' then s.last_tick else s.away_from end,
    resumed_at = case when s.last_tick < now() - interval '150 seconds' then now() else s.resumed_at end
$$;

-- All of it in the caller's transaction. Returns whether it ran: false while another one does.
create or replace function quartz_agent.tick(budget interval default '10 seconds', quiet interval default '1 minute') returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  part text;
begin
  if not pg_try_advisory_xact_lock(711420, 2) then
    return false;
  end if;
  perform quartz_agent.note_tick();
  foreach part in array quartz_agent.tick_parts() loop
    perform quartz_agent.tick_part(part, budget, quiet);
  end loop;
  return true;
end $$;

-- The same for pg_cron, each part in a transaction of its own, so that no batch waits long for it.
create or replace procedure quartz_agent.run_tick() language plpgsql as $$
declare
  part text;
  more boolean;
  until timestamptz := pg_catalog.clock_timestamp() + interval '30 seconds';
begin
  perform quartz_agent.note_tick();
  commit;
  foreach part in array quartz_agent.tick_parts() loop
    loop
      exit when not pg_catalog.pg_try_advisory_xact_lock(711420, 2);
      perform quartz_agent.tick_part(part, '2 seconds', '1 minute');
      more := part = 'dirty' and pg_catalog.clock_timestamp() < until and exists (select from quartz_agent.dirty x
        where x.touched_at <= pg_catalog.now() - interval '1 minute' or x.first_at < pg_catalog.now() - interval '10 minutes');
      commit;
      exit when not more;
    end loop;
  end loop;
  update quartz_agent.settings set last_tick = pg_catalog.now();
end $$;
