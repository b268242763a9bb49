-- SPDX-License-Identifier: MIT
--
-- What an agent learns from the answer to its own request: asks, the version of its list, alerts and acknowledgements; and
-- the list's changes since a version. After asks.sql.

create sequence if not exists quartz_agent.change_version;
create table if not exists quartz_agent.changes (
  kind text not null, id uuid not null, resource_id uuid, was_resource_id uuid, version bigint not null,
  is_gone boolean not null, at timestamptz not null default now(), primary key (kind, id)
);
create index if not exists changes_by_version on quartz_agent.changes (version);
-- Versions up to this one are forgotten: an agent that knows no more reads the whole list.
alter table quartz_agent.settings add column if not exists forgotten bigint not null default 0;

-- Written at the commit, and one after the other: what has read version n has seen everything below it.
create or replace function quartz_agent.note_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  -- Columns that results and beats move.
  moving text[] := '{updated_at,current_failure_count,last_heartbeat_at}';
  changed uuid;
  resource uuid := (after ->> 'resource_id')::uuid;
  was uuid := (before ->> 'resource_id')::uuid;
begin
  if before - moving = after - moving or tg_table_name = 'alerts' and coalesce(after, before) ->> 'alert_key' is null then
    return null;
  end if;
  changed := (coalesce(after, before) ->> case tg_table_name when 'agent_key_scopes' then 'api_key_id'
    when 'check_confirmations' then 'monitoring_check_id' else 'id' end)::uuid;
  if tg_table_name = 'check_confirmations' then
    select c.resource_id into resource from public.monitoring_checks c where c.id = changed;
  end if;
  perform pg_advisory_xact_lock(711421, 0);
  insert into quartz_agent.changes as k values (tg_table_name, changed, resource, was, nextval('quartz_agent.change_version'), after is null)
  on conflict (kind, id) do update set resource_id = excluded.resource_id,
    was_resource_id = coalesce(excluded.was_resource_id, k.was_resource_id), version = excluded.version,
    is_gone = excluded.is_gone, at = now();
  return null;
end $$;
do $$
declare
  name text;
begin
  foreach name in array array['monitoring_checks', 'maintenance_windows', 'check_confirmations', 'agent_key_scopes', 'alerts'] loop
    execute format('drop trigger if exists quartz_agent_change on public.%I', name);
    execute format('create constraint trigger quartz_agent_change after insert or update or delete on public.%I '
      'deferrable initially deferred for each row execute function quartz_agent.note_change()', name);
  end loop;
end $$;

-- The newest version that concerns a key; alerts have one of their own.
create or replace function quartz_agent.version_of(scope public.agent_key_scopes, of_alerts boolean) returns bigint
language sql stable as $$
  select coalesce(max(k.version), 0) from quartz_agent.changes k
  where (k.kind = 'alerts') = of_alerts and (k.kind = 'agent_key_scopes' and k.id = scope.api_key_id
    or k.kind <> 'agent_key_scopes' and (scope.resource_ids is null or k.resource_id = any (scope.resource_ids)
      or k.was_resource_id = any (scope.resource_ids)))
$$;

-- A person's name, as agents show it; null where there are no profiles, or the person gave none.
do $$
begin
  execute 'create or replace function quartz_agent.person(id uuid) returns text language sql stable as $body$ '
    || case when to_regclass('public.profiles') is null then 'select null::text where id is null'
      else 'select left(p.full_name, 100) from public.profiles p where p.id = person.id' end || ' $body$';
end $$;

-- Alerts that are open, and those of the last day that a person ended while the check still fails: the whole of it, so that
-- a lost answer costs nothing. At most 200 that are acknowledged, and 200 that are not: what is acknowledged makes room.
create or replace function quartz_agent.alerts_for(scope public.agent_key_scopes) returns jsonb language sql stable as $$
  with open as (
    select a.*, row_number() over (partition by a.acknowledged_at is null order by a.triggered_at desc, a.id) as place
    from public.alerts a where a.alert_key is not null and a.monitoring_check_id is not null and a.resolved_at is null
      and (scope.resource_ids is null or a.resource_id = any (scope.resource_ids))
  ), closed as (
    select m.check_id, m.kind, a.resolved_at from quartz_agent.alarm m join public.alerts a on a.id = m.alert_id
    where m.is_on and a.resolved_at > now() - interval '24 hours' and coalesce(a.resolution, 'by hand') = 'by hand'
      and (scope.resource_ids is null or a.resource_id = any (scope.resource_ids)) order by a.resolved_at desc limit 200
  )
  select jsonb_build_object('more', exists (select from open o where o.place > 200),
    'open', (select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'check_id', o.monitoring_check_id,
        'kind', split_part(o.alert_key, '/', 2), 'severity', o.severity, 'since', o.first_failed_at,
        'acknowledged_at', o.acknowledged_at)
      || case when o.acknowledged_at is null then '{}' else jsonb_strip_nulls(jsonb_build_object(
        'acknowledged_by', coalesce(substring(o.acknowledged_via from '^agent .*?: (.*)$'), quartz_agent.person(o.acknowledged_by)),
        'acknowledged_agent', substring(o.acknowledged_via from '^agent (.*?): '))) end
      order by o.triggered_at desc, o.id), '[]') from open o where o.place <= 200),
    'closed_by_hand', (select coalesce(jsonb_agg(jsonb_build_object('check_id', c.check_id, 'kind', c.kind,
      'at', c.resolved_at)), '[]') from closed c))
$$;

-- Acknowledgements made at the agent: of alerts in its scope that are open and not acknowledged, and that had begun when they
-- were made, give or take a minute. At most 100, the rest comes again.
create or replace function quartz_agent.take_acks(scope public.agent_key_scopes, agent jsonb) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  update public.alerts a set acknowledged_at = least(greatest(coalesce(k.at, now()), a.triggered_at), now()),
    acknowledged_via = left('agent ' || (agent ->> 'name') || ': ' || left(regexp_replace(coalesce(k.item ->> 'by', ''), '[[:cntrl:]]', ' ', 'g'), 100)
      || coalesce(' (' || nullif(left(regexp_replace(k.item ->> 'why', '[[:cntrl:]]', ' ', 'g'), 200), '') || ')', ''), 520)
  from (select e.value as item, quartz_agent.to_time(e.value -> 'at')
      + coalesce(quartz_agent.skew_ms(agent), 0) * interval '1 millisecond' as at
    from jsonb_array_elements(case jsonb_typeof(agent -> 'acks') when 'array' then agent -> 'acks' else '[]' end)
      with ordinality as e (value, number) where e.number <= 100) k
  where a.alert_key = quartz_agent.to_uuid(k.item -> 'check_id') || '/' || (k.item ->> 'kind') and a.resolved_at is null
    and a.acknowledged_at is null and (scope.resource_ids is null or a.resource_id = any (scope.resource_ids))
    and (k.at is null or k.at >= coalesce(a.first_failed_at, a.triggered_at) - interval '1 minute')
$$;

-- Maintenance windows that agents made, with what they said last. A row of maintenance_windows that people deleted stays away,
-- and an end that they moved stays where they moved it, until the agent says another one.
create table if not exists quartz_agent.agent_windows (
  id uuid primary key, api_key_id uuid not null, agent text not null, ends_at timestamptz not null,
  noted_at timestamptz not null default now()
);

-- The windows of an agent, all of them: each is one time of one resource, and covers all enabled checks of it, or is left out.
create or replace function quartz_agent.take_windows(scope public.agent_key_scopes, agent jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  x record;
  known quartz_agent.agent_windows;
  own text := agent ->> 'name';
  kept uuid[] := '{}';
  list jsonb := case jsonb_typeof(agent -> 'windows' -> 'list') when 'array' then agent -> 'windows' -> 'list' end;
begin
  if list is null or jsonb_typeof(agent -> 'windows' -> 'version') is distinct from 'string' then
    return;
  end if;
  for x in
    select distinct on (i.id) i.* from (
      select quartz_agent.to_uuid(e.value -> 'id') as id, quartz_agent.to_uuid(e.value -> 'resource_id') as resource_id,
        quartz_agent.to_time(e.value -> 'from') + t.skew as begins, quartz_agent.to_time(e.value -> 'until') + t.skew as ends,
        coalesce(nullif(left(regexp_replace(e.value ->> 'title', '[[:cntrl:]]', ' ', 'g'), 200), ''), 'maintenance') as title,
        case jsonb_typeof(e.value -> 'checks') when 'array' then e.value -> 'checks' else '[]' end as checks
      from jsonb_array_elements(list) with ordinality as e (value, number)
      cross join (select coalesce(quartz_agent.skew_ms(agent), 0) * interval '1 millisecond' as skew) t
      where e.number <= 200) i
    where i.id is not null and i.begins < i.ends and i.ends > now() and i.ends < i.begins + interval '367 days'
      and i.begins < now() + interval '2 days' and (scope.resource_ids is null or i.resource_id = any (scope.resource_ids))
      and exists (select from public.monitoring_checks c where c.resource_id = i.resource_id and c.is_enabled)
      and not exists (select from public.monitoring_checks c where c.resource_id = i.resource_id and c.is_enabled
        and not i.checks ? c.id::text)
    order by i.id
  loop
    select * into known from quartz_agent.agent_windows w where w.id = x.id;
    if not found then
      insert into public.maintenance_windows (id, resource_id, title, description, starts_at, ends_at, is_recurring)
      values (x.id, x.resource_id, x.title, 'Made at agent ' || own, x.begins, x.ends, false) on conflict (id) do nothing;
      -- Not an agent's row.
      continue when not found;
      insert into quartz_agent.agent_windows (id, api_key_id, agent, ends_at) values (x.id, scope.api_key_id, own, x.ends)
      on conflict (id) do nothing;
    elsif known.api_key_id <> scope.api_key_id or known.agent <> own then
      continue;
    elsif known.ends_at <> x.ends then
      update public.maintenance_windows m set ends_at = x.ends, updated_at = now() where m.id = x.id;
      update quartz_agent.agent_windows w set ends_at = x.ends where w.id = x.id;
    end if;
    kept := kept || x.id;
  end loop;
  -- What it has no more has ended, or never began.
  delete from public.maintenance_windows m using quartz_agent.agent_windows w
  where w.id = m.id and w.api_key_id = scope.api_key_id and w.agent = own and not w.id = any (kept) and m.starts_at > now();
  update public.maintenance_windows m set ends_at = now(), updated_at = now() from quartz_agent.agent_windows w
  where w.id = m.id and w.api_key_id = scope.api_key_id and w.agent = own and not w.id = any (kept) and m.ends_at > now();
  delete from quartz_agent.agent_windows w where w.api_key_id = scope.api_key_id and w.agent = own and not w.id = any (kept);
  update public.monitoring_agents a set windows_version = left(agent -> 'windows' ->> 'version', 64)
  where a.api_key_id = scope.api_key_id and a.name = own;
exception when others then
  raise warning 'maintenance windows of an agent: % %', sqlstate, sqlerrm;
end $$;

create or replace function quartz_agent.answer_more(key_id uuid, agent jsonb, results jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  scope public.agent_key_scopes;
  abilities text[] := array(select left(w, 20) from jsonb_array_elements_text(
    case jsonb_typeof(agent -> 'can') when 'array' then agent -> 'can' else '[]' end) w where w in ('list', 'asks', 'acks', 'windows', 'fleet') order by 1);
  answer jsonb;
  version bigint;
  has_acks boolean := coalesce(jsonb_typeof(agent -> 'acks') = 'array' and agent -> 'acks' <> '[]', false);
begin
  select * into scope from public.agent_key_scopes s where s.api_key_id = key_id;
  update public.monitoring_agents a set can = abilities
  where a.api_key_id = key_id and a.name = agent ->> 'name' and a.can is distinct from abilities;
  select jsonb_build_object('now', now(), 'contact_s', s.contact_s, 'notify', s.alerts = 'on'
    and exists (select from public.alert_notifications n where n.state = 'waiting' and n.created_at >= now())) into answer
  from quartz_agent.settings s;
  if 'asks' = any (abilities) then
    answer := answer || jsonb_build_object('asks', quartz_agent.open_asks(scope, coalesce(quartz_agent.place(agent), agent ->> 'name')));
  end if;
  if 'list' = any (abilities) then
    answer := answer || jsonb_build_object('list', jsonb_build_object('version', quartz_agent.version_of(scope, false)));
  end if;
  if 'fleet' = any (abilities) and quartz_agent.mode() = 'on' then
    answer := answer || jsonb_build_object('fleet', quartz_agent.fleet_for(scope, agent));
  end if;
  if 'windows' = any (abilities) and scope.may_maintain then
    perform quartz_agent.take_windows(scope, agent);
    answer := answer || jsonb_build_object('windows', (select jsonb_build_object('version', a.windows_version)
      from public.monitoring_agents a where a.api_key_id = key_id and a.name = agent ->> 'name'));
  end if;
  if 'acks' = any (abilities) then
    answer := answer || jsonb_build_object('apps', quartz_agent.mode());
    if quartz_agent.mode() = 'on' then
      if has_acks then
        perform quartz_agent.hold_incidents();
        perform quartz_agent.take_acks(scope, agent);
      end if;
      version := quartz_agent.version_of(scope, true);
      -- What became of acknowledgements is said at once; the change has its version when this is committed.
      if has_acks or version is distinct from quartz_agent.reported(agent -> 'have', 'alerts') then
        answer := answer || jsonb_build_object('alerts', jsonb_build_object('version', version) || quartz_agent.alerts_for(scope));
      end if;
    end if;
  end if;
  return answer;
end $$;

-- Changes of the list since a version, for a key with a scope. full: read the whole list, then ask from this version on.
create or replace function public.agent_config(p_key_id uuid, p_since bigint) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  scope public.agent_key_scopes;
  newest bigint;
  upto bigint;
  full_list boolean;
  ids uuid[];
begin
  select * into scope from public.agent_key_scopes s where s.api_key_id = p_key_id;
  if not found then
    raise exception 'this key has no scope' using errcode = '42501', hint = 'an administrator gives it one in agent_key_scopes';
  end if;
  newest := quartz_agent.version_of(scope, false);
  full_list := p_since is null or p_since < (select s.forgotten from quartz_agent.settings s) or p_since > newest or exists (
    select from quartz_agent.changes k where k.kind = 'agent_key_scopes' and k.id = p_key_id and k.version > p_since);
  if full_list then
    return jsonb_build_object('version', newest, 'full', true, 'more', false, 'checks', '[]'::jsonb, 'gone', '[]'::jsonb,
      'windows', '[]'::jsonb, 'confirmations', '[]'::jsonb);
  end if;
  select array_agg(q.id), max(q.version) into ids, upto from (
    select k.id, k.version from quartz_agent.changes k
    where k.kind in ('monitoring_checks', 'check_confirmations') and k.version > p_since
      and (scope.resource_ids is null or k.resource_id = any (scope.resource_ids) or k.was_resource_id = any (scope.resource_ids))
    order by k.version limit 500) q;
  if coalesce(cardinality(ids), 0) < 500 then
    upto := newest;
  end if;
  return jsonb_build_object('version', upto, 'full', false, 'more', upto < newest,
    'checks', (select coalesce(jsonb_agg(to_jsonb(c) - '{heartbeat_token,azure_metric_name,azure_metric_namespace,metric_threshold_value,metric_comparison_operator}'::text[]
        || jsonb_build_object('resources', jsonb_build_object('name', r.name)) order by c.id), '[]')
      from public.monitoring_checks c join public.resources r on r.id = c.resource_id
      where c.id = any (ids) and c.is_enabled and (scope.resource_ids is null or c.resource_id = any (scope.resource_ids))),
    'gone', (select coalesce(jsonb_agg(distinct i), '[]') from unnest(ids) i where not exists (
      select from public.monitoring_checks c where c.id = i and c.is_enabled
        and (scope.resource_ids is null or c.resource_id = any (scope.resource_ids)))),
    'windows', (select coalesce(jsonb_agg(to_jsonb(w) - 'created_by' order by w.id), '[]') from public.maintenance_windows w
      where scope.resource_ids is null or w.resource_id = any (scope.resource_ids)),
    'confirmations', (select coalesce(jsonb_agg(to_jsonb(n)), '[]') from public.check_confirmations n where n.monitoring_check_id = any (ids)));
end $$;

create or replace function quartz_agent.tick_changes() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  last bigint;
begin
  -- What is there stays: it is the version of what it names. Only what is gone is forgotten.
  with old as (
    delete from quartz_agent.changes k where (k.is_gone or k.kind = 'alerts') and k.at < now() - interval '30 days' returning k.version, k.kind
  )
  select max(o.version) filter (where o.kind <> 'alerts') into last from old o;
  delete from quartz_agent.agent_windows w where w.ends_at < now() - interval '30 days';
  update quartz_agent.settings s set forgotten = greatest(s.forgotten, last) where last > s.forgotten;
end $$;
