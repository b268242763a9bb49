-- SPDX-License-Identifier: MIT
--
-- What the results of a check say, in the order of their time: a pure function of rows, rules and what was known before.
-- Live batches and the rebuilding of late ones use the same one. After alerts.sql.

drop type if exists quartz_agent.observation cascade;
create type quartz_agent.observation as (
  id uuid, at timestamptz, place text, is_well boolean, is_maintenance boolean, response_time_ms integer,
  days_left integer, reason text, rev bigint
);
-- An alarm that goes on or off, or that a further rule or a worse severity holds for ('more').
drop type if exists quartz_agent.turning cascade;
create type quartz_agent.turning as (
  kind text, what text, at timestamptz, since timestamptz, row_id uuid, rules uuid[],
  severity public.alert_severity, message text, ended text, place text
);
drop type if exists quartz_agent.replayed cascade;
create type quartz_agent.replayed as (places jsonb, alarms jsonb, turns quartz_agent.turning[], failures integer);

create or replace function quartz_agent.holds(a numeric, op text, b numeric) returns boolean
language sql immutable parallel safe as $$
  select coalesce(case op when 'gt' then a > b when 'gte' then a >= b when 'lt' then a < b when 'lte' then a <= b
    when 'eq' then a = b end, false)
$$;

-- The enabled rules of a resource: its own, and templates of its type that it is not excluded from.
create or replace function quartz_agent.rules_of(resource uuid) returns setof public.alert_rules
language sql stable as $$
  select q.* from public.alert_rules q join public.resources r on r.id = resource
  where q.is_enabled and (q.resource_id = r.id or q.is_template and q.resource_type = r.resource_type
    and not exists (select from public.alert_rule_exclusions e where e.alert_rule_id = q.id and e.resource_id = r.id))
  order by q.created_at, q.id
$$;

-- Whether the instant is in a maintenance window of the resource; recurrence in UTC, as the agent reads it.
create or replace function quartz_agent.in_window(resource uuid, at timestamptz) returns boolean
language sql stable as $$
  select exists (
    select from public.maintenance_windows w
    cross join lateral (select w.starts_at at time zone 'UTC' as first, at at time zone 'UTC' as this) t
    cross join lateral (
      select case when coalesce(w.is_recurring, false) then w.recurrence_pattern end as again) p
    cross join lateral (select case p.again
      when 'daily' then floor(extract(epoch from t.this - t.first) / 86400)
      when 'weekly' then floor(extract(epoch from t.this - t.first) / 604800)
      when 'monthly' then (extract(year from t.this) - extract(year from t.first)) * 12
        + extract(month from t.this) - extract(month from t.first)
      else 0 end::integer as number) n
    cross join lateral (select n.number + d as number from generate_series(-2, 1) d
      where n.number + d = 0 or n.number + d > 0 and p.again is not null) o
    cross join lateral (select (t.first + case p.again when 'daily' then make_interval(days => o.number)
      when 'weekly' then make_interval(weeks => o.number) when 'monthly' then make_interval(months => o.number)
      else interval '0' end) at time zone 'UTC' as begins) b
    where w.resource_id = resource and isfinite(w.starts_at) and isfinite(w.ends_at)
      and w.starts_at <= at and w.starts_at < w.ends_at
      and at >= b.begins and at < b.begins + (w.ends_at - w.starts_at))
$$;

-- Rows of one check as observations: scheduled, of an agent, not from the future. An agent says nothing about heartbeats.
create or replace function quartz_agent.observe(c public.monitoring_checks, r public.check_results)
returns quartz_agent.observation language sql stable as $$
  select (r.id, r.checked_at + coalesce(r.clock_skew_ms, 0) * interval '1 millisecond', coalesce(r.location, r.agent),
    r.status::text = 'success',
    coalesce(r.maintenance, false)
      or exists (select from public.maintenance_windows w where w.resource_id = c.resource_id) and quartz_agent.in_window(c.resource_id, r.checked_at + coalesce(r.clock_skew_ms, 0) * interval '1 millisecond'),
    r.response_time_ms, r.ssl_days_remaining, r.reason, r.owner_rev)::quartz_agent.observation
$$;

create or replace function quartz_agent.is_judged(c public.monitoring_checks, r public.check_results) returns boolean
language sql stable as $$
  select r.agent is not null and r.trigger is distinct from 'manual'
    and (c.check_type::text <> 'heartbeat' or r.agent_key_id is null)
    and r.checked_at + coalesce(r.clock_skew_ms, 0) * interval '1 millisecond' <= now() + interval '5 minutes'
$$;

-- What is known of the places of a check, and of its alarms.
create or replace function quartz_agent.known_places(id uuid) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(s.place, jsonb_strip_nulls(jsonb_build_object('to', s.evaluated_to, 'f', s.failures,
    'since', s.failing_since, 'slow', s.is_slow, 'days', s.days_left, 'expiring', s.is_expiring, 'rev', s.owner_rev,
    'seen', s.owner_seen))), '{}')
  from quartz_agent.place_state s where s.check_id = id
$$;

create or replace function quartz_agent.known_alarms(id uuid) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(a.kind, jsonb_build_object('rules', to_jsonb(a.rules), 'severity', a.severity)), '{}')
  from quartz_agent.alarm a where a.check_id = id and a.is_on
$$;

-- What the places of a check that were heard lately say together: of those that count, the `needed`-th worst word, or the best
-- one where fewer than that are heard.
create or replace function quartz_agent.together(
  places jsonb, wanted text[], needed integer, at timestamptz, fresh interval, member text, out level integer, out since timestamptz)
language plpgsql immutable as $$
declare
  p record;
begin
  for p in
    select coalesce(case jsonb_typeof(e.value -> member) when 'boolean' then (e.value -> member)::boolean::integer
      else (e.value ->> member)::integer end, 0) as level, (e.value ->> 'since')::timestamptz as since
    from jsonb_each(places) e
    where (e.value ->> 'to')::timestamptz > at - fresh and (wanted is null or e.key = any (wanted))
    order by 1 desc, 2 limit needed
  loop
    level := p.level;
    since := p.since;
  end loop;
end $$;

create or replace function quartz_agent.failure_words(c public.monitoring_checks, o quartz_agent.observation,
  failures integer, since timestamptz) returns text language sql stable as $$
  select upper(c.check_type::text) || ' check failed: '
    || case when not o.is_well and o.reason ~ '^[a-z_]{1,64}$' then o.reason else 'no success' end
    || ', ' || failures || ' in a row since ' || to_char(since at time zone 'UTC', 'HH24:MI:SS') || ' UTC'
$$;

-- The rules of a type that hold for a value, in their order.
create or replace function quartz_agent.held(rules public.alert_rules[], type text, value numeric) returns uuid[]
language plpgsql immutable as $$
declare
  q public.alert_rules;
  hits uuid[] := '{}';
begin
  foreach q in array rules loop
    if q.rule_type::text = type and quartz_agent.holds(value, q.comparison_operator, q.threshold_value) then
      hits := hits || q.id;
    end if;
  end loop;
  return hits;
end $$;

-- One kind of alarm that is on now or not: what changes, if anything.
create or replace function quartz_agent.changes_of(alarms jsonb, kind text, is_on boolean, hits uuid[],
  severity public.alert_severity) returns text language sql immutable as $$
  select case
    when is_on and not alarms ? kind then 'on'
    when not is_on and alarms ? kind then 'off'
    when is_on and (not to_jsonb(hits) <@ (alarms -> kind -> 'rules')
      or severity < (alarms -> kind ->> 'severity')::public.alert_severity) then 'more'
  end
$$;

create or replace function quartz_agent.replay(c public.monitoring_checks, places jsonb, alarms jsonb,
  rows quartz_agent.observation[]) returns quartz_agent.replayed
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  o quartz_agent.observation;
  s jsonb;
  rules public.alert_rules[];
  hits uuid[];
  -- Null until a row counts: one of an earlier owner says nothing.
  failures integer;
  level integer;
  since timestamptz;
  needed integer := 1;
  wanted text[];
  word text;
  is_on boolean;
  is_single boolean;
  -- Places whose last word was a failure.
  unwell text[] := array(select p.key from jsonb_each(places) p where (p.value ->> 'f')::integer > 0);
  grade public.alert_severity;
  rule public.alert_rules;
  threshold integer := coalesce(nullif(c.failure_threshold, 0), 1);
  fresh interval := greatest(interval '10 minutes', 3 * make_interval(secs => least(greatest(c.check_interval_seconds, 0), 86400)));
  turns quartz_agent.turning[] := '{}';
begin
  select n.needed, n.locations into needed, wanted from public.check_confirmations n where n.monitoring_check_id = c.id;
  needed := coalesce(needed, 1);
  select coalesce(array_agg(q order by q.created_at, q.id), '{}') into rules from quartz_agent.rules_of(c.resource_id) q
  where q.rule_type::text in ('consecutive_failures', 'downtime', 'response_time', 'ssl_expiry');
  foreach o in array coalesce(rows, '{}') loop
    s := coalesce(places -> o.place, '{"f":0}');
    continue when o.at <= (s ->> 'to')::timestamptz
      or quartz_agent.is_fenced(o.rev, o.at, (s ->> 'rev')::bigint, (s ->> 'seen')::timestamptz, c.check_interval_seconds);
    -- Of a place that was not heard for long it is not known any more how fast it was.
    if (s ->> 'to')::timestamptz <= o.at - fresh then
      s := s - 'slow' - 'expiring';
    end if;
    s := s || jsonb_build_object('to', o.at);
    if o.rev is not null then
      s := s || jsonb_build_object('rev', o.rev, 'seen', o.at);
    end if;
    is_single := places - o.place = '{}';
    if o.is_maintenance then
      places := places || jsonb_build_object(o.place, s);
      unwell := '{}';
      failures := 0;
      since := null;
      select coalesce(jsonb_object_agg(p.key, p.value - 'since' || '{"f":0,"slow":false}'), '{}') into places
      from jsonb_each(places) p;
      foreach word in array array['availability', 'performance'] loop
        continue when not alarms ? word;
        turns := turns || (word, 'off', o.at, null, o.id, null, null, null, 'maintenance', o.place)::quartz_agent.turning;
        alarms := alarms - word;
      end loop;
      continue;
    end if;
    if o.is_well then
      s := s - 'since' || '{"f":0}';
    else
      s := s || jsonb_build_object('f', (s ->> 'f')::integer + 1, 'since', coalesce(s -> 'since', to_jsonb(o.at)));
    end if;
    places := places || jsonb_build_object(o.place, s);

    unwell := case when o.is_well then array_remove(unwell, o.place) else array_remove(unwell, o.place) || o.place end;
    if cardinality(unwell) = 0 then
      failures := 0;
      since := null;
    elsif is_single and wanted is null then
      failures := (s ->> 'f')::integer;
      since := (s ->> 'since')::timestamptz;
    else
      select t.level, t.since into failures, since
      from quartz_agent.together(places, wanted, needed, o.at, fresh, 'f') t;
      failures := coalesce(failures, 0);
    end if;
    if failures > 0 or alarms ? 'availability' then
      hits := case when failures > 0 then quartz_agent.held(rules, 'consecutive_failures', failures)
        || quartz_agent.held(rules, 'downtime', 100) else '{}' end;
      is_on := failures > 0 and (alarms ? 'availability' or failures >= threshold or cardinality(hits) > 0);
      word := quartz_agent.changes_of(alarms, 'availability', is_on, hits, 'critical');
      if word is not null then
        turns := turns || ('availability', word, o.at, since, o.id, hits, 'critical',
          quartz_agent.failure_words(c, o, failures, since), case word when 'off' then 'recovered' end,
          o.place)::quartz_agent.turning;
      end if;
      alarms := quartz_agent.with_alarm(alarms, 'availability', word, hits, 'critical');
    end if;

    if o.is_well and o.response_time_ms is not null then
      hits := quartz_agent.held(rules, 'response_time', o.response_time_ms);
      if cardinality(hits) > 0 or alarms ? 'performance' or (s -> 'slow')::boolean then
        places := places || jsonb_build_object(o.place, s || jsonb_build_object('slow', cardinality(hits) > 0));
        select t.level into level from quartz_agent.together(places, wanted, needed, o.at, fresh, 'slow') t;
        word := quartz_agent.changes_of(alarms, 'performance', coalesce(level, 0) > 0, hits, 'warning');
        if word is not null then
          select q.* into rule from unnest(rules) q where q.id = any (hits) order by q.created_at, q.id limit 1;
          turns := turns || ('performance', word, o.at, o.at, o.id, hits, 'warning',
            'Response time ' || o.response_time_ms || 'ms exceeded threshold ' || coalesce(rule.threshold_value, 0) || 'ms',
            case word when 'off' then 'recovered' end, o.place)::quartz_agent.turning;
        end if;
        alarms := quartz_agent.with_alarm(alarms, 'performance', word, hits, 'warning');
        s := places -> o.place;
      end if;
    end if;

    if o.days_left is not null then
      hits := quartz_agent.held(rules, 'ssl_expiry', o.days_left);
      if cardinality(hits) > 0 or alarms ? 'certificate' or (s -> 'expiring')::boolean then
        places := places || jsonb_build_object(o.place,
          s || jsonb_build_object('days', o.days_left, 'expiring', cardinality(hits) > 0));
        select t.level into level from quartz_agent.together(places, wanted, needed, o.at, fresh, 'expiring') t;
        grade := case when o.days_left <= 7 then 'critical' else 'warning' end;
        word := quartz_agent.changes_of(alarms, 'certificate', coalesce(level, 0) > 0, hits, grade);
        if word is not null then
          select q.* into rule from unnest(rules) q where q.id = any (hits) order by q.created_at, q.id limit 1;
          turns := turns || ('certificate', word, o.at, o.at, o.id, hits, grade,
            'SSL certificate expires in ' || o.days_left || ' days (threshold: ' || coalesce(rule.threshold_value, 0) || ' days)',
            case word when 'off' then 'recovered' end, o.place)::quartz_agent.turning;
        end if;
        alarms := quartz_agent.with_alarm(alarms, 'certificate', word, hits, grade);
      end if;
    end if;
  end loop;
  return (places, alarms, turns, failures)::quartz_agent.replayed;
end $$;

create or replace function quartz_agent.with_alarm(alarms jsonb, kind text, what text, hits uuid[],
  grade public.alert_severity) returns jsonb language sql immutable as $$
  select case what
    when 'on' then alarms || jsonb_build_object(kind, jsonb_build_object('rules', to_jsonb(hits), 'severity', grade))
    when 'off' then alarms - kind
    when 'more' then alarms || jsonb_build_object(kind, jsonb_build_object(
      'rules', (select jsonb_agg(distinct x) from jsonb_array_elements((alarms -> kind -> 'rules') || to_jsonb(hits)) x),
      'severity', least((alarms -> kind ->> 'severity')::public.alert_severity, grade)))
    else alarms
  end
$$;

-- Keeps what is known of the places of a check.
create or replace function quartz_agent.keep_places(id uuid, places jsonb) returns void language sql as $$
  insert into quartz_agent.place_state as k
    (check_id, place, evaluated_to, failures, failing_since, is_slow, days_left, is_expiring, owner_rev, owner_seen)
  select id, p.key, coalesce((p.value ->> 'to')::timestamptz, '-infinity'), (p.value ->> 'f')::integer,
    (p.value ->> 'since')::timestamptz, coalesce((p.value -> 'slow')::boolean, false), (p.value ->> 'days')::integer,
    coalesce((p.value -> 'expiring')::boolean, false), (p.value ->> 'rev')::bigint, (p.value ->> 'seen')::timestamptz
  from jsonb_each(places) p
  on conflict (check_id, place) do update set evaluated_to = excluded.evaluated_to, failures = excluded.failures,
    failing_since = excluded.failing_since, is_slow = excluded.is_slow, days_left = excluded.days_left,
    is_expiring = excluded.is_expiring, owner_rev = excluded.owner_rev, owner_seen = excluded.owner_seen
  where (k.evaluated_to, k.failures, k.failing_since, k.is_slow, k.days_left, k.is_expiring, k.owner_rev, k.owner_seen)
    is distinct from (excluded.evaluated_to, excluded.failures, excluded.failing_since, excluded.is_slow,
    excluded.days_left, excluded.is_expiring, excluded.owner_rev, excluded.owner_seen)
$$;
