-- SPDX-License-Identifier: MIT
--
-- What follows from a batch: the hooks of ingest.sql. An error here costs no result: the check is noted as dirty, and the
-- tick evaluates it. After incidents.sql.

create or replace function quartz_agent.counts_failures() returns boolean language sql stable as $$
  select s.alerts = 'off' from quartz_agent.settings s
$$;

-- Reads the settings before a batch locks anything: a cutover waits for batches that are under way, and they for it, in one order.
create or replace function quartz_agent.skew_ms(agent jsonb) returns bigint language sql stable as $$
  select case when s.alerts <> 'off' and abs(q.ms) between 60001 and 86400000 and agent ->> 'lane' is distinct from 'backlog' then q.ms end
  from (select (extract(epoch from now() - quartz_agent.to_time(agent -> 'sent_at')) * 1000)::bigint as ms) q,
    quartz_agent.settings s
$$;

create or replace function quartz_agent.mark_dirty(id uuid, since timestamptz) returns void language sql as $$
  insert into quartz_agent.dirty as d (check_id, since) values (id, since)
  on conflict (check_id) do update set since = least(d.since, excluded.since), touched_at = now()
$$;

-- Evaluates rows of one check that are newer than what was evaluated. The caller holds the lock of the check's row.
create or replace function quartz_agent.judge_check(id uuid, ids uuid[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  c public.monitoring_checks;
  rows quartz_agent.observation[];
  places jsonb;
  said quartz_agent.replayed;
  t quartz_agent.turning;
  ahead timestamptz;
begin
  select * into c from public.monitoring_checks x where x.id = judge_check.id;
  select array_agg(o order by (o).at, (o).id) into rows
  from (select quartz_agent.observe(c, r) as o from public.check_results r where r.id = any (ids) offset 0) q;
  if rows is null then
    return;
  end if;
  places := quartz_agent.known_places(id);
  select max((p.value ->> 'to')::timestamptz) into ahead from jsonb_each(places) p;
  said := quartz_agent.replay(c, places, quartz_agent.known_alarms(id), rows);
  perform quartz_agent.keep_places(id, said.places);
  foreach t in array said.turns loop
    perform quartz_agent.turn(c, t);
  end loop;
  if quartz_agent.mode() = 'on' then
    update public.monitoring_checks x set current_failure_count = said.failures
    where x.id = judge_check.id and x.current_failure_count is distinct from coalesce(said.failures, x.current_failure_count);
    if said.alarms <> '{}' then
      perform quartz_agent.insist(c, (rows[cardinality(rows)]).at, (rows[cardinality(rows)]).id);
    end if;
  end if;
  -- Between two places the order in which rows came is not that of their time, nor in one instant that of their names.
  if (rows[1]).at <= ahead then
    perform quartz_agent.mark_dirty(id, (rows[1]).at);
  end if;
end $$;

-- The rows of a batch, which are of one place: those of checks that are well and stay so at once, the others check by check.
create or replace function quartz_agent.judge_batch(agent jsonb, fresh uuid[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  x record;
  here text := coalesce(quartz_agent.place(agent), agent ->> 'name');
  is_backlog boolean := coalesce(agent ->> 'lane' = 'backlog', false);
  is_on boolean := quartz_agent.mode() = 'on';
  walked bigint := 0;
  began timestamptz := clock_timestamp();
begin
  for x in
    with judged as materialized (
      select r.id, r.monitoring_check_id as check_id, c.resource_id, c.check_interval_seconds as pace,
        r.checked_at + coalesce(r.clock_skew_ms, 0) * interval '1 millisecond' as at, r.status::text = 'success' as is_well,
        r.response_time_ms, r.ssl_days_remaining as days, r.owner_rev
      from public.check_results r join public.monitoring_checks c on c.id = r.monitoring_check_id
      where r.id = any (fresh) and quartz_agent.is_judged(c, r)
    ),
    rules as materialized (
      select k.resource_id, q.rule_type::text as type, q.comparison_operator as op, q.threshold_value as value
      from (select distinct j.resource_id from judged j) k cross join lateral quartz_agent.rules_of(k.resource_id) q
      where q.rule_type::text in ('response_time', 'ssl_expiry')
    ),
    hit as materialized (
      select distinct j.check_id from judged j join rules q on q.resource_id = j.resource_id
      where quartz_agent.holds(case q.type when 'response_time' then j.response_time_ms else j.days end, q.op, q.value)
    ),
    known as materialized (
      select j.check_id, min(j.at) as oldest, max(j.at) as newest, max(j.owner_rev) as rev,
        max(j.at) filter (where j.owner_rev is not null) as rev_at,
        coalesce(min(j.owner_rev) < greatest(max(j.owner_rev), s.owner_rev), false) as is_mixed,
        bool_and(j.is_well) as is_well, min(j.at) filter (where j.at <= s.evaluated_to) as late,
        array_agg(j.id order by j.at, j.id) filter (where s.evaluated_to is null or j.at > s.evaluated_to) as ids
      from judged j left join quartz_agent.place_state s on s.check_id = j.check_id and s.place = here
      group by j.check_id, s.evaluated_to, s.owner_rev
    ),
    sorted as materialized (
      select k.*, k.is_well and not k.is_mixed and k.late is null and not is_backlog
        and not exists (select from hit h where h.check_id = k.check_id)
        and not exists (select from quartz_agent.place_state s where s.check_id = k.check_id
          and (s.failures > 0 or s.is_slow or s.is_expiring))
        -- What ended after these rows began may have been none, for all that they say.
        and not exists (select from quartz_agent.alarm a where a.check_id = k.check_id and (a.is_on or a.off_at >= k.oldest)) as is_quick
      from known k
    ),
    kept as (
      insert into quartz_agent.place_state as p (check_id, place, evaluated_to, owner_rev, owner_seen)
      select s.check_id, here, s.newest, s.rev, s.rev_at from sorted s where s.is_quick
      on conflict (check_id, place) do update set evaluated_to = excluded.evaluated_to,
        owner_rev = coalesce(excluded.owner_rev, p.owner_rev), owner_seen = coalesce(excluded.owner_seen, p.owner_seen)
    ),
    cleared as (
      update public.monitoring_checks c set current_failure_count = 0
      from sorted s where is_on and s.is_quick and c.id = s.check_id and c.current_failure_count <> 0
    ),
    -- A place of which nothing was evaluated yet is known from now on.
    placed as (
      insert into quartz_agent.place_state (check_id, place, evaluated_to)
      select s.check_id, here, '-infinity' from sorted s where is_backlog on conflict do nothing
    ),
    late as (
      insert into quartz_agent.dirty as d (check_id, since)
      select s.check_id, case when is_backlog then s.oldest else s.late end
      from sorted s where is_backlog or s.late is not null
      on conflict (check_id) do update set since = least(d.since, excluded.since), touched_at = now()
    )
    select s.check_id, s.ids, s.oldest from sorted s where not s.is_quick and not is_backlog and s.ids is not null
    order by s.check_id
  loop
    walked := walked + cardinality(x.ids);
    -- The batch must be stored within the statement_timeout; the tick does the rest.
    if walked > 2000 or clock_timestamp() > began + interval '3 seconds' then
      perform quartz_agent.mark_dirty(x.check_id, x.oldest);
      continue;
    end if;
    begin
      perform quartz_agent.judge_check(x.check_id, x.ids);
    exception when others then
      raise warning 'evaluation of check %: % %', x.check_id, sqlstate, sqlerrm;
      perform quartz_agent.mark_dirty(x.check_id, x.oldest);
    end;
  end loop;
end $$;

-- What the agent says of itself beyond ingest.sql.
create or replace function quartz_agent.note_more(key_id uuid, agent jsonb) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  with told as (
    select quartz_agent.place(agent) as location, quartz_agent.to_time(agent -> 'started_at') as started_at,
      (extract(epoch from now() - quartz_agent.to_time(agent -> 'sent_at')) * 1000)::bigint as skew,
      quartz_agent.reported(agent -> 'have', 'list') as list_version,
      -- Nothing where it says nothing: least() leaves nulls out.
      case when quartz_agent.reported(agent, 'checks') <= 1000000 then quartz_agent.reported(agent, 'checks') end::integer as checks
  )
  update public.monitoring_agents a set location = t.location, started_at = t.started_at, clock_skew_ms = t.skew,
    list_version = t.list_version, checks = t.checks
  from told t where a.api_key_id = key_id and a.name = agent ->> 'name'
    and ((a.location, a.started_at, a.list_version, a.checks) is distinct from
      (t.location, t.started_at, t.list_version, t.checks)
      or abs(coalesce(a.clock_skew_ms, 0) - coalesce(t.skew, 0)) > 1000 or (a.clock_skew_ms is null) <> (t.skew is null))
$$;

create or replace function quartz_agent.after_batch(key_id uuid, agent jsonb, fresh uuid[], results jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  answer jsonb := '{}';
  set_to quartz_agent.settings;
begin
  select * into set_to from quartz_agent.settings;
  if set_to.alerts <> 'off' and cardinality(fresh) > 0 then
    begin
      perform quartz_agent.judge_batch(agent, fresh);
    exception when others then
      raise warning 'evaluation of a batch: % %', sqlstate, sqlerrm;
      insert into quartz_agent.dirty as d (check_id, since)
      select r.monitoring_check_id, min(r.checked_at) from public.check_results r where r.id = any (fresh) group by 1 order by 1
      on conflict (check_id) do update set since = least(d.since, excluded.since), touched_at = now();
    end;
  end if;
  -- On its own: a person waits for it, whatever becomes of the rest.
  if results @? '$[*].ask_id' then
    begin
      perform quartz_agent.answer_asks(key_id, agent, results);
    exception when others then
      raise warning 'answers to asks: % %', sqlstate, sqlerrm;
    end;
  end if;
  begin
    perform quartz_agent.note_more(key_id, agent);
    -- Where pg_cron is missing or stands still, agents keep the time.
    if set_to.alerts <> 'off' and coalesce(set_to.last_tick, '-infinity') < now() - interval '65 seconds' then
      perform quartz_agent.tick('1 second');
    end if;
    answer := quartz_agent.answer_more(key_id, agent, results);
  exception when others then
    raise warning 'what goes with a batch: % %', sqlstate, sqlerrm;
  end;
  return answer;
end $$;

-- What the answer says beyond the verdicts; asks.sql and changes.sql make more of it.
create or replace function quartz_agent.answer_more(key_id uuid, agent jsonb, results jsonb) returns jsonb
language sql stable as $$
  select jsonb_build_object('now', now(), 'contact_s', s.contact_s, 'notify',
    exists (select from public.alert_notifications n where n.state = 'waiting' and n.created_at >= now()))
  from quartz_agent.settings s
$$;
