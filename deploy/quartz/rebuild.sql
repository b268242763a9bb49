-- SPDX-License-Identifier: MIT
--
-- Results that came late: alerts of the past are made what all rows say that are known now, and nobody is told of the past.
-- What still fails is opened and told. The same rows give the same alerts in whatever order they came. Certificates are left out:
-- only the latest word counts there. After judge.sql.

drop type if exists quartz_agent.episode cascade;
create type quartz_agent.episode as (
  on_at timestamptz, off_at timestamptz, ended text, since timestamptz, row_id uuid, rules uuid[],
  severity public.alert_severity, message text, occurrences integer, place text
);

-- Rows of a check from an instant on, or up to it, as observations.
create or replace function quartz_agent.observed(c public.monitoring_checks, after timestamptz, upto timestamptz)
returns setof quartz_agent.observation language sql stable as $$
  select (o).* from (
    select quartz_agent.observe(c, r) as o from public.check_results r
    -- A clock may have been a day slow or fast.
    where r.monitoring_check_id = c.id and r.checked_at > after - interval '1 day' and r.checked_at <= upto + interval '1 day'
      and quartz_agent.is_judged(c, r)
    offset 0) q
  where (o).at > after and (o).at <= upto
$$;

-- The last row of a place up to an instant, in the seven days before it; `well`: the last one that was well or in maintenance.
create or replace function quartz_agent.latest(c public.monitoring_checks, place text, at timestamptz, well boolean)
returns setof quartz_agent.observation language sql stable as $$
  select (q.o).* from (
    select quartz_agent.observe(c, x) as o from (
      (select r from public.check_results r
        where r.monitoring_check_id = c.id and r.clock_skew_ms is null and r.checked_at <= at
          and r.checked_at > at - interval '7 days' and coalesce(r.location, r.agent) = place
          and quartz_agent.is_judged(c, r)
          and (not well or r.status::text = 'success' or r.maintenance or quartz_agent.in_window(c.resource_id, r.checked_at))
        order by r.checked_at desc, r.id desc limit 1)
      union all
      (select r from public.check_results r
        where r.monitoring_check_id = c.id and r.clock_skew_ms is not null
          and r.checked_at between at - interval '8 days' and at + interval '1 day'
          and r.checked_at + r.clock_skew_ms * interval '1 millisecond' <= at and coalesce(r.location, r.agent) = place
          and quartz_agent.is_judged(c, r)
          and (not well or r.status::text = 'success' or r.maintenance
            or quartz_agent.in_window(c.resource_id, r.checked_at + r.clock_skew_ms * interval '1 millisecond'))
        order by r.checked_at + r.clock_skew_ms * interval '1 millisecond' desc, r.id desc limit 1)
    ) y (x) offset 0) q
  order by (q.o).at desc, (q.o).id desc limit 1
$$;

-- Whether it is uncertain who owned a check at a place around an instant: the last row there may be one of an earlier owner, which
-- says nothing. Null, or when a row of a later owner came before it.
create or replace function quartz_agent.later_owner(c public.monitoring_checks, place text, at timestamptz) returns timestamptz
language sql stable as $$
  with near as materialized (
    select o.id, o.at, o.rev from quartz_agent.observed(c, at - 2 * quartz_agent.fence(c.check_interval_seconds), at) o
    where o.place = later_owner.place and o.rev is not null
  ),
  last as (select n.at, n.rev from near n order by n.at desc, n.id desc limit 1)
  select min(n.at) from near n join last l on n.rev > l.rev and n.at >= l.at - quartz_agent.fence(c.check_interval_seconds)
$$;

-- The last instant before `since` at which every place was well, with an owner that is certain, and no alert was open: from there
-- the story is told again.
create or replace function quartz_agent.clean_start(c public.monitoring_checks, since timestamptz, out start timestamptz, out is_cut boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  floor timestamptz := since - interval '7 days';
  earlier timestamptz;
  reopen interval;
begin
  select s.reopen + interval '1 second' into reopen from quartz_agent.settings s;
  start := since - interval '1 microsecond';
  is_cut := false;
  for round in 1..100 loop
    select min(x.at) into earlier from (
      select coalesce((select w.at from quartz_agent.latest(c, p.place, start, true) w), floor) as at
      from quartz_agent.place_state p cross join lateral quartz_agent.latest(c, p.place, start, false) l
      where p.check_id = c.id and not l.is_well and not l.is_maintenance
      union all
      select quartz_agent.later_owner(c, p.place, l.at) - interval '1 microsecond'
      from quartz_agent.place_state p cross join lateral quartz_agent.latest(c, p.place, start, false) l
      where p.check_id = c.id and p.owner_rev is not null
      union all
      select least(a.first_failed_at, a.triggered_at) - interval '1 microsecond' from public.alerts a
      where a.alert_key in (c.id || '/availability', c.id || '/performance')
        and coalesce(a.resolution, '') <> 'corrected'
        and a.triggered_at <= start + interval '1 second' and coalesce(a.resolved_at, 'infinity') + reopen >= start
      union all
      select a.since - interval '1 microsecond' from quartz_agent.alarm a
      where a.check_id = c.id and a.kind <> 'certificate' and a.on_at <= start
        and coalesce(a.off_at, 'infinity') + reopen >= start
    ) x where x.at < start;
    exit when earlier is null;
    start := earlier;
    if start <= floor then
      start := floor;
      is_cut := true;
      exit;
    end if;
  end loop;
end $$;

-- What is known of each place at an instant at which all were well.
create or replace function quartz_agent.places_at(c public.monitoring_checks, at timestamptz) returns jsonb
language sql stable as $$
  select coalesce(jsonb_object_agg(p.place, jsonb_strip_nulls(jsonb_build_object('to', l.at, 'f', 0,
    'slow', not l.is_maintenance and l.is_well and l.response_time_ms is not null and exists (
      select from quartz_agent.rules_of(c.resource_id) q where q.rule_type::text = 'response_time'
        and quartz_agent.holds(l.response_time_ms, q.comparison_operator, q.threshold_value)),
    'rev', v.rev, 'seen', v.at))), '{}')
  from quartz_agent.place_state p
  cross join lateral quartz_agent.latest(c, p.place, at, false) l
  left join lateral (select o.rev, o.at from quartz_agent.observed(c, at - interval '1 day', at) o
    where o.place = p.place and o.rev is not null order by o.at desc, o.id desc limit 1) v on true
  where p.check_id = c.id
$$;

-- The turnings of one kind as episodes; what comes back within the time for that is one.
create or replace function quartz_agent.episodes(turns quartz_agent.turning[], wanted text) returns quartz_agent.episode[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  t quartz_agent.turning;
  e quartz_agent.episode;
  found_ones quartz_agent.episode[] := '{}';
  reopen interval;
begin
  select s.reopen into reopen from quartz_agent.settings s;
  foreach t in array turns loop
    continue when t.kind <> wanted;
    if t.what = 'on' and e.ended = 'recovered' and t.at <= e.off_at + reopen then
      e.off_at := null;
      e.ended := null;
      e.rules := t.rules;
      e.occurrences := e.occurrences + 1;
    elsif t.what = 'on' then
      if e.on_at is not null then
        found_ones := found_ones || e;
      end if;
      e := (t.at, null, null, t.since, t.row_id, t.rules, t.severity, t.message, 1, t.place)::quartz_agent.episode;
    elsif t.what = 'more' then
      e.rules := array(select distinct u from unnest(e.rules || t.rules) u);
      e.severity := least(e.severity, t.severity);
      e.message := t.message;
    else
      e.off_at := t.at;
      e.ended := t.ended;
    end if;
  end loop;
  return case when e.on_at is not null then found_ones || e else found_ones end;
end $$;

-- An alert of the past that an episode is: moved to the true times, inserted in silence, or for one that lasts opened and told.
create or replace function quartz_agent.record_episode(c public.monitoring_checks, kind text, e quartz_agent.episode,
  used uuid[], kept_begin timestamptz) returns uuid language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  key text := c.id || '/' || kind;
  a public.alerts;
  begins timestamptz := date_trunc('second', e.on_at);
  ends timestamptz := case when e.off_at is not null then greatest(date_trunc('second', e.off_at), begins) end;
  id uuid;
begin
  e.since := date_trunc('second', e.since);
  select * into a from public.alerts x
  where x.alert_key = key and not x.id = any (used)
    and tstzrange(x.triggered_at, coalesce(x.resolved_at, 'infinity'), '[]') && tstzrange(begins, coalesce(ends, 'infinity'), '[]')
  order by coalesce(x.resolution, '') = 'corrected', (x.resolved_at is null) = (e.off_at is null) desc, x.triggered_at limit 1;
  if found then
    -- What a person or the machine ended for another reason stays as it is.
    if a.resolved_at is not null and coalesce(a.resolution, 'by hand') not in ('recovered', 'maintenance', 'corrected') then
      return a.id;
    end if;
    -- A window of the search that was cut knows no earlier begin.
    if a.triggered_at < kept_begin then
      begins := a.triggered_at;
      e.since := least(a.first_failed_at, e.since);
    end if;
    update public.alerts x set triggered_at = begins, first_failed_at = e.since, resolved_at = ends, resolution = e.ended,
      occurrences = e.occurrences, severity = e.severity
    where x.id = a.id and (x.triggered_at, x.first_failed_at, x.resolved_at, x.resolution, x.occurrences, x.severity)
      is distinct from (begins, e.since, ends, e.ended, e.occurrences, e.severity);
    if a.resolved_at is not null and ends is null then
      perform quartz_agent.announce(a.id, 'reopened', e.rules, kind, quartz_agent.key_of(e.row_id));
    end if;
    return a.id;
  end if;
  if e.off_at is null then
    id := quartz_agent.open_alert(e.row_id, key, c.resource_id, c.id, e.rules[1], e.severity, e.message, e.on_at, e.since);
    perform quartz_agent.announce(id, 'opened', e.rules, kind, quartz_agent.key_of(e.row_id));
    return id;
  end if;
  insert into public.alerts as x (id, resource_id, alert_rule_id, severity, message, triggered_at, first_failed_at, resolved_at,
    resolution, occurrences, monitoring_check_id, alert_key, notification_suppressed, suppression_reason)
  values (md5(key || '/' || e.row_id)::uuid, c.resource_id, e.rules[1], e.severity, e.message, begins, e.since, ends, e.ended,
    e.occurrences, c.id, key, true, 'Recorded afterwards: the results came late')
  on conflict do nothing returning x.id into id;
  if id is null then
    insert into public.alerts as x (resource_id, alert_rule_id, severity, message, triggered_at, first_failed_at, resolved_at,
      resolution, occurrences, monitoring_check_id, alert_key, notification_suppressed, suppression_reason)
    values (c.resource_id, e.rules[1], e.severity, e.message, begins, e.since, ends, e.ended, e.occurrences, c.id, key, true,
      'Recorded afterwards: the results came late') returning x.id into id;
  end if;
  return id;
end $$;

drop function if exists quartz_agent.is_uneventful(public.monitoring_checks, quartz_agent.observation[], timestamptz);
-- Whether rows of a check that was well before them can have opened, moved or ended nothing; `places`: what is known of them.
create or replace function quartz_agent.is_uneventful(
  c public.monitoring_checks, rows quartz_agent.observation[], start timestamptz, places jsonb)
returns boolean language sql stable as $$
  select not exists (select from unnest(rows) o where not o.is_well)
    and not exists (select from unnest(rows) o where o.rev is not null group by o.place
      having min(o.rev) < max(o.rev) or min(o.rev) < (places -> o.place ->> 'rev')::bigint)
    and not exists (select from quartz_agent.rules_of(c.resource_id) q where q.rule_type::text = 'response_time')
    and not exists (select from public.alerts a where a.alert_key in (c.id || '/availability', c.id || '/performance')
      and coalesce(a.resolved_at, 'infinity') >= start)
    and not exists (select from quartz_agent.alarm a where a.check_id = c.id and a.kind <> 'certificate'
      and coalesce(a.off_at, 'infinity') >= start)
$$;

create or replace function quartz_agent.rebuild(id uuid, since timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  c public.monitoring_checks;
  origin record;
  rows quartz_agent.observation[];
  said quartz_agent.replayed;
  old jsonb := quartz_agent.known_places(id);
  told quartz_agent.episode[];
  e quartz_agent.episode;
  used uuid[];
  mine uuid;
  sort text;
  is_last boolean;
  is_on boolean := quartz_agent.mode() = 'on';
  latest timestamptz;
begin
  select * into c from public.monitoring_checks x where x.id = rebuild.id;
  select * into origin from quartz_agent.clean_start(c, since);
  -- A check that was filled with rows holds up no other: its alerts of the past stay as they are.
  if (select count(*) from (select from public.check_results r where r.monitoring_check_id = c.id
    and r.checked_at > origin.start - interval '1 day' limit 100001) q) > 100000 then
    raise warning 'check % has more than 100000 results since %: its alerts are not rebuilt', c.id, origin.start;
    return;
  end if;
  select array_agg(o order by o.at, o.id) into rows
  from quartz_agent.observed(c, origin.start, now() + interval '5 minutes') o;
  if rows is null then
    return;
  end if;
  latest := (rows[cardinality(rows)]).at;
  if quartz_agent.is_uneventful(c, rows, origin.start, old) then
    perform quartz_agent.keep_places(id, old || (select jsonb_object_agg(q.place, coalesce(old -> q.place, '{}') - 'since'
      || jsonb_build_object('to', greatest(q.at, (old -> q.place ->> 'to')::timestamptz), 'f', 0, 'slow', false)
      || jsonb_strip_nulls(jsonb_build_object('rev', q.rev, 'seen', q.seen)))
      from (select o.place, max(o.at) as at, max(o.rev) as rev, max(o.at) filter (where o.rev is not null) as seen
        from unnest(rows) o group by o.place) q));
    return;
  end if;
  said := quartz_agent.replay(c, quartz_agent.places_at(c, origin.start), '{}',
    array(select (o.id, o.at, o.place, o.is_well, o.is_maintenance, o.response_time_ms, null, o.reason, o.rev)::quartz_agent.observation
      from unnest(rows) with ordinality as o order by o.ordinality));
  perform quartz_agent.keep_places(id, (select coalesce(jsonb_object_agg(p.key, p.value || jsonb_strip_nulls(
    jsonb_build_object('days', old -> p.key -> 'days', 'expiring', old -> p.key -> 'expiring'))), '{}') from jsonb_each(said.places) p));
  if is_on then
    perform quartz_agent.hold_incidents();
  end if;
  foreach sort in array array['availability', 'performance'] loop
    told := quartz_agent.episodes(said.turns, sort);
    used := '{}';
    -- The one that lasts chooses first: people were told of it.
    for e in select * from unnest(told) q order by q.off_at is null desc, q.on_at loop
      is_last := e.on_at = (told[cardinality(told)]).on_at;
      if is_last then
        insert into quartz_agent.alarm as k (check_id, kind, is_on, rules, severity, message, on_at, since, off_at, ended,
          row_id, place, host)
        values (c.id, sort, e.off_at is null, case when e.off_at is null then e.rules else '{}' end, e.severity, e.message,
          e.on_at, e.since, e.off_at, e.ended, e.row_id, e.place, quartz_agent.host_of(c))
        on conflict on constraint alarm_pkey do update set is_on = excluded.is_on, rules = excluded.rules,
          severity = excluded.severity, message = excluded.message, on_at = excluded.on_at, since = excluded.since,
          off_at = excluded.off_at, ended = excluded.ended, row_id = excluded.row_id, place = excluded.place, host = excluded.host;
      end if;
      continue when not is_on;
      mine := quartz_agent.record_episode(c, sort, e, used, case when origin.is_cut then origin.start end);
      used := used || mine;
      update quartz_agent.alarm a set alert_id = mine where is_last and a.check_id = c.id and a.kind = sort and a.alert_id is distinct from mine;
    end loop;
    if cardinality(told) = 0 then
      update quartz_agent.alarm a set is_on = false, ended = 'corrected', off_at = latest, rules = '{}'
      where a.check_id = c.id and a.kind = sort and a.on_at > origin.start;
    end if;
    -- What later rows show to have been none.
    update public.alerts a set resolution = 'corrected', resolved_at = coalesce(a.resolved_at, greatest(a.triggered_at, latest))
    where is_on and a.alert_key = c.id || '/' || sort and a.triggered_at > origin.start and not a.id = any (used)
      and (a.resolved_at is null or a.resolution in ('recovered', 'maintenance'));
  end loop;
  if is_on then
    update public.monitoring_checks x set current_failure_count = coalesce(said.failures, 0)
    where x.id = rebuild.id and x.current_failure_count is distinct from coalesce(said.failures, 0);
  end if;
end $$;
