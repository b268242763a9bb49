-- SPDX-License-Identifier: MIT
--
-- The fleet: each agent is a resource of the apps, and what is wrong with it is in words there, in alerts, in
-- monitoring_agents_health and in the answer to the agent itself. After changes.sql.

alter table public.monitoring_agents
  add column if not exists late_since timestamptz,
  add column if not exists behind_since timestamptz,
  add column if not exists behind_at bigint,
  add column if not exists troubles text[] not null default '{}',
  add column if not exists words text;
comment on column public.monitoring_agents.troubles is
  'As of the last tick: silent, clock, lost, late, list; those that the tick opens an alert for';
comment on column public.monitoring_agents.words is 'The same for people to read; null: all is well';
comment on column public.monitoring_agents.late_since is 'Since when its probes run late, or its results wait';
comment on column public.monitoring_agents.behind_since is 'Since when it has had a list of checks, behind_at, that was not the newest';

-- What is wrong with an agent: at most one row of each kind. One that is silent has said nothing else of late.
create or replace function quartz_agent.troubles_of(a public.monitoring_agents)
returns table (kind text, grade public.alert_severity, words text, since timestamptz) language sql stable as $$
  with known as (
    -- While the database was away none was heard: each has its time again, but one that was silent before.
    select a.last_seen < now() - s.silent and coalesce(s.resumed_at <= now() - s.silent or a.last_seen < s.away_from - s.silent, true)
      as is_silent, exists (
      select from public.monitoring_agents o where o.location = a.location and o.id <> a.id and o.retired_at is null
        and o.last_seen >= now() - s.silent) as others
    from quartz_agent.settings s
  )
  select t.kind, t.grade::public.alert_severity, t.words, t.since from known k cross join lateral (values
    (1, 'silent', k.is_silent, case when k.others then 'warning' else 'critical' end,
      'Agent silent since ' || to_char(a.last_seen at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
        || case when k.others then ': others of its group run its checks' else ': its checks do not run' end, a.last_seen),
    (2, 'clock', not k.is_silent and abs(a.clock_skew_ms) > 60000, 'warning',
      'The clock of the agent is ' || abs(a.clock_skew_ms) / 1000 || ' s '
        || case when a.clock_skew_ms > 0 then 'behind' else 'ahead' end || ': check its time synchronisation', now()),
    (3, 'lost', not k.is_silent and a.lost > 0 and a.lost_to > now() - interval '1 day', 'warning',
      'The agent lost ' || a.lost || ' results: its store was full or damaged', coalesce(a.lost_from, now())),
    (4, 'late', not k.is_silent and a.late_since <= now() - interval '5 minutes', 'warning',
      case when a.lag_s > 30 then 'Probes of the agent run ' || a.lag_s || ' s late: its machine is too busy, or it has too many checks'
        else 'Results of the agent wait for ' || a.oldest_s / 60 || ' min: see its delivery' end, a.late_since),
    (5, 'list', not k.is_silent and a.behind_since <= now() - interval '15 minutes', 'warning',
      'The agent has had an old list of checks since ' || to_char(a.behind_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')
        || ' UTC: what was changed in the apps is not in force there', a.behind_since)
  ) as t (place, kind, is_so, grade, words, since) where t.is_so order by t.place
$$;

-- An alert about an agent itself: opened, escalated or resolved.
create or replace function quartz_agent.agent_alert(a public.monitoring_agents, kind text, is_on boolean,
  grade public.alert_severity, words text, since timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  key text := 'agent:' || a.id || '/' || kind;
  al public.alerts;
  id uuid;
begin
  select * into al from public.alerts x where x.alert_key = key order by x.triggered_at desc, x.resolved_at desc nulls first limit 1;
  if is_on and (al.id is null or al.resolved_at is not null and (al.resolution in ('recovered', 'disabled', 'rolled back') or al.resolved_at < now() - interval '24 hours')) then
    id := quartz_agent.open_alert(md5(key || '/' || now())::uuid, key, a.resource_id, null, null, grade, words, now(), since);
    perform quartz_agent.announce(id, 'opened', '{}', 'agent ' || kind, a.api_key_id);
  elsif is_on and al.resolved_at is null and grade < al.severity then
    -- It got worse: the last one of its group is gone as well.
    update public.alerts x set severity = grade, message = words where x.id = al.id;
    perform quartz_agent.announce(al.id, 'escalated', '{}', 'agent ' || kind, a.api_key_id);
  elsif not is_on and al.id is not null then
    update public.alerts x set resolved_at = coalesce(x.resolved_at, greatest(date_trunc('second', now()), x.triggered_at)), resolution = 'recovered'
    where x.id = al.id and (x.resolved_at is null or x.resolution is distinct from 'recovered');
  end if;
end $$;

-- A name for people to read: an agent chooses its own.
create or replace function quartz_agent.clean(name text) returns text language sql immutable parallel safe as $$
  select left(regexp_replace(name, '[[:cntrl:]]', ' ', 'g'), 200)
$$;

-- The agent as a resource; its description is ours until a person writes another one.
create or replace function quartz_agent.show_agent(a public.monitoring_agents, wanted public.resource_status) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  said text := 'quartz-agent ' || quartz_agent.clean(a.version) || coalesce(' in ' || quartz_agent.clean(nullif(a.region, '')), '')
    || coalesce(', ' || a.checks || ' checks', '') || '. '
    || case when a.retired_at is not null then 'Retired.' else coalesce(a.words || '.', 'All is well.') end;
begin
  perform from public.resources r where r.id = a.resource_id for no key update skip locked;
  if found then
    update public.resources r set status = wanted, last_checked_at = a.last_seen,
      description = case when r.description is null or r.description like 'quartz-agent %' then said else r.description end
    where r.id = a.resource_id and ((r.status, r.last_checked_at) is distinct from (wanted, a.last_seen)
      or (r.description is null or r.description like 'quartz-agent %') and r.description is distinct from said);
  end if;
end $$;

-- How long an agent has been late, and behind with its list. One that takes a newer list is not behind, even where people
-- change it faster than it can follow.
create or replace function quartz_agent.watch_agents() returns void
language sql set search_path = pg_catalog, pg_temp as $$
  update public.monitoring_agents x set late_since = q.late, behind_since = q.behind, behind_at = q.at
  from (
    select a.id, case when a.lag_s > 30 or a.oldest_s > 900 then coalesce(a.late_since, now()) end as late,
      case when not k.is_behind then null when a.behind_at = a.list_version then coalesce(a.behind_since, now()) else now() end as behind,
      case when k.is_behind then a.list_version end as at
    from public.monitoring_agents a left join public.agent_key_scopes s on s.api_key_id = a.api_key_id
    cross join lateral (select coalesce('list' = any (a.can) and a.list_version < quartz_agent.version_of(s, false), false)) k (is_behind)
    where a.retired_at is null and a.last_seen > now() - interval '3 minutes'
    -- A batch has its agent's row, and may wait for what the tick holds: that one is for the next tick.
    for no key update of a skip locked) q
  where x.id = q.id and (x.late_since, x.behind_since, x.behind_at) is distinct from (q.late, q.behind, q.at)
$$;

create or replace function quartz_agent.tick_agents() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  a public.monitoring_agents;
  t record;
  found_kinds text[];
  said text;
  k text;
begin
  perform quartz_agent.watch_agents();
  for a in select * from public.monitoring_agents x order by x.id for no key update skip locked loop
    if a.retired_at is not null then
      update public.alerts x set resolved_at = greatest(date_trunc('second', now()), x.triggered_at), resolution = 'disabled'
      where x.alert_key like 'agent:' || a.id || '/%' and x.resolved_at is null;
      perform quartz_agent.show_agent(a, 'unknown');
      continue;
    end if;
    -- One that was gone before alerts were on is no news.
    continue when a.resource_id is null and a.last_seen < now() - interval '1 day';
    if a.resource_id is null then
      insert into public.resources (name, resource_type, is_standalone, status)
      values ('Agent ' || quartz_agent.clean(a.name), 'agent', true, 'up') returning id into a.resource_id;
      update public.monitoring_agents x set resource_id = a.resource_id where x.id = a.id;
    end if;
    found_kinds := '{}';
    said := null;
    for t in select * from quartz_agent.troubles_of(a) loop
      found_kinds := found_kinds || t.kind;
      said := concat_ws('. ', said, t.words);
      perform quartz_agent.agent_alert(a, t.kind, true, t.grade, t.words, t.since);
    end loop;
    -- Of one that is silent nothing else is known: what was open stays so.
    foreach k in array case when 'silent' = any (found_kinds) then '{}' else '{silent,clock,lost,late,list}'::text[] end loop
      if not k = any (found_kinds) then
        perform quartz_agent.agent_alert(a, k, false, 'warning', '', now());
      end if;
    end loop;
    if (a.troubles, a.words) is distinct from (found_kinds, said) then
      update public.monitoring_agents x set troubles = found_kinds, words = said where x.id = a.id;
      a.words := said;
    end if;
    perform quartz_agent.show_agent(a, case when 'silent' = any (found_kinds) then 'down'
      when found_kinds <> '{}' then 'degraded' else 'up' end::public.resource_status);
  end loop;
  update public.alerts x set resolved_at = greatest(date_trunc('second', now()), x.triggered_at), resolution = 'deleted'
  where x.alert_key like 'agent:%' and x.resolved_at is null and not exists (
    select from public.monitoring_agents m where m.id = split_part(substr(x.alert_key, 7), '/', 1)::uuid);
  -- Resources of agents that are no more: people remove them.
  perform quartz_agent.set_status(r.id, 'unknown') from public.resources r
  where r.resource_type = 'agent' and r.status <> 'unknown' and r.description like 'quartz-agent %'
    and not exists (select from public.monitoring_agents m where m.resource_id = r.id);
end $$;

-- For the agent that asks: what the apps show of it and of those that share its key or its group, where something is wrong.
create or replace function quartz_agent.fleet_for(scope public.agent_key_scopes, agent jsonb) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('name', quartz_agent.clean(q.name), 'is_self', q.is_self, 'troubles', to_jsonb(q.troubles),
    'words', left(q.words, 500)) order by q.is_self desc, q.name), '[]')
  from (
    select a.name, a.api_key_id = scope.api_key_id and a.name = agent ->> 'name' as is_self, a.troubles, a.words
    from public.monitoring_agents a
    where a.retired_at is null and a.troubles <> '{}'
      and (a.api_key_id = scope.api_key_id or a.location = quartz_agent.place(agent))
      -- This one is not silent now, and another one only while it is.
      and not (a.troubles = '{silent}' and a.last_seen >= now() - interval '3 minutes')
      and not (a.api_key_id = scope.api_key_id and a.name = agent ->> 'name' and 'silent' = any (a.troubles))
    order by 2 desc, 1 limit 20) q
$$;

-- For people: the columns of ingest.sql, and what this file knows.
create or replace view public.monitoring_agents_health with (security_invoker = true) as
select id, name, region, version, first_seen, last_seen, last_result_at, results, spool_depth, oldest_s, lag_s,
  config_version, last_seen < now() - interval '3 minutes' as is_silent,
  lost, lost_from, lost_to, location, started_at, clock_skew_ms, checks, list_version,
  behind_since, late_since, troubles, words, retired_at, resource_id
from public.monitoring_agents;
