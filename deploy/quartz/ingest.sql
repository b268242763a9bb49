-- SPDX-License-Identifier: MIT
--
-- The receiving end of quartz-agent for the Quartz backend: results in batches with a verdict for each row, the list
-- of agents, what each agent's key may do, and the side effects that a bare insert into check_results has not.
--
-- Safe to run again at any time, and in one transaction: psql --single-transaction -v ON_ERROR_STOP=1 -f ingest.sql
-- It changes no column and no row that is there. README.md beside it says how to install, upgrade, use and undo it.

set local lock_timeout = '10s';

create schema if not exists quartz_agent;
revoke all on schema quartz_agent from public;

-- Columns of a result that only an agent knows. All optional: rows of other writers leave them null.
alter table public.check_results
  add column if not exists agent text,
  add column if not exists region text,
  add column if not exists scheduled_at timestamptz,
  add column if not exists trigger text,
  add column if not exists state text,
  add column if not exists reason text,
  add column if not exists maintenance boolean,
  add column if not exists location text,
  add column if not exists owner_rev bigint,
  add column if not exists agent_key_id uuid,
  add column if not exists clock_skew_ms bigint;

comment on column public.check_results.agent is 'Name of the agent that ran the check; null: not run by an agent';
comment on column public.check_results.region is 'Where that agent stands';
comment on column public.check_results.scheduled_at is 'The slot that the result is for; checked_at is when it ran';
comment on column public.check_results.trigger is 'schedule, or manual for a run somebody asked for';
comment on column public.check_results.state is 'up, degraded or down; degraded is a success that crossed a warning';
comment on column public.check_results.reason is 'The agent''s word for what happened, such as connect_refused';
comment on column public.check_results.maintenance is 'Ran inside a maintenance window: counts for nothing';
comment on column public.check_results.location is 'The group of agents that ran the check; null: an agent on its own';
comment on column public.check_results.owner_rev is
  'Revision of the group''s store that gave the check to the agent; a lower one than the last seen moves nothing';

comment on column public.check_results.clock_skew_ms is
  'How far the sender''s clock was from the database''s, where alerts are judged and that was more than a minute: checked_at plus it is the true time';
-- No foreign key: it says whose the row is after the key is gone as well.
comment on column public.check_results.agent_key_id is 'The key that posted it; null: stored before, or not by an agent';

-- What a key of api_keys may do as an agent's key. A key without a row here may not post.
create table if not exists public.agent_key_scopes (
  api_key_id uuid primary key references public.api_keys (id) on delete cascade,
  may_post boolean not null default true,
  agent_name text,
  resource_ids uuid[],
  created_at timestamptz not null default now()
);
-- Where an earlier version of this file made the table.
alter table public.agent_key_scopes
  add column if not exists agent_names text[],
  add column if not exists locations text[],
  add column if not exists may_maintain boolean not null default false,
  add column if not exists per_minute integer check (per_minute > 0);
comment on column public.agent_key_scopes.per_minute is
  'Requests of the key in a minute; null: 120 for each agent of agent_name and agent_names, and 120 where both are null';
comment on column public.agent_key_scopes.may_maintain is
  'Maintenance windows of its agents are shown in the apps, and so silence the resources that they cover';
comment on column public.agent_key_scopes.agent_name is
  'The only agent that may use the key, beside those of agent_names; both null: any name';
comment on column public.agent_key_scopes.agent_names is 'Agents of a group that share the key';
comment on column public.agent_key_scopes.locations is
  'The only locations it may post for; null: the first one that it names is written here, and is the only one from then on';
comment on column public.agent_key_scopes.resource_ids is 'The only resources it may see and post for; null: all';

-- Who reports, and how it goes with them. An agent writes here with every batch, an empty one included.
create table if not exists public.monitoring_agents (
  id uuid primary key default gen_random_uuid(),
  api_key_id uuid not null references public.api_keys (id) on delete cascade,
  name text not null,
  region text,
  version text not null,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  last_result_at timestamptz,
  results bigint not null default 0,
  spool_depth bigint,
  oldest_s bigint,
  lag_s bigint,
  config_version text,
  lost bigint,
  lost_from timestamptz,
  lost_to timestamptz,
  unique (api_key_id, name)
);
-- Where an earlier version of this file made the table.
alter table public.monitoring_agents
  add column if not exists lost bigint,
  add column if not exists lost_from timestamptz,
  add column if not exists lost_to timestamptz;
comment on column public.monitoring_agents.last_seen is 'Last request of any kind; a live agent makes one a minute';
comment on column public.monitoring_agents.last_result_at is 'Last request that brought a new result';
comment on column public.monitoring_agents.spool_depth is 'Results that wait at the agent';
comment on column public.monitoring_agents.oldest_s is 'Age of the oldest of them, seconds';
comment on column public.monitoring_agents.lost is 'Results it lost in the last 30 days: its store was full, or damaged';
comment on column public.monitoring_agents.lost_from is 'When the first of them was due, as far as known';
comment on column public.monitoring_agents.lost_to is 'When the last of them was due, as far as known';
comment on column public.monitoring_agents.lag_s is 'How late its probes run, seconds';

-- The last word of each location about a check that several run, of the agent that had the check there. Agents on their own
-- have no row: theirs is the latest result.
create table if not exists public.check_locations (
  monitoring_check_id uuid not null references public.monitoring_checks (id) on delete cascade,
  location text not null,
  status public.check_result_status not null,
  state text,
  checked_at timestamptz not null,
  owner_rev bigint,
  owner_seen timestamptz,
  primary key (monitoring_check_id, location)
);
comment on column public.check_locations.owner_rev is 'The highest one; results of an agent with a lower one move nothing';
comment on column public.check_locations.owner_seen is 'When it last ran the check';

-- Checks that are down only where so many locations find it; a check without a row is what the latest result says.
create table if not exists public.check_confirmations (
  monitoring_check_id uuid primary key references public.monitoring_checks (id) on delete cascade,
  needed integer not null check (needed between 1 and 1000),
  locations text[]
);
comment on column public.check_confirmations.needed is 'As confirm.from in agent.yaml';
comment on column public.check_confirmations.locations is 'As confirm.of in agent.yaml; null: all that report';

-- An agent is silent after three minutes without a request; checks may be quiet for longer than that. fleet.sql makes the
-- view longer: a second run of this file leaves that as it is.
do $$
begin
  if not exists (select from pg_attribute a where a.attrelid = to_regclass('public.monitoring_agents_health') and a.attname = 'words') then
    create or replace view public.monitoring_agents_health with (security_invoker = true) as
    select id, name, region, version, first_seen, last_seen, last_result_at, results, spool_depth, oldest_s, lag_s,
      config_version, last_seen < now() - interval '3 minutes' as is_silent,
      lost, lost_from, lost_to
    from public.monitoring_agents;
  end if;
end $$;

alter table public.agent_key_scopes enable row level security;
alter table public.monitoring_agents enable row level security;
alter table public.check_locations enable row level security;
alter table public.check_confirmations enable row level security;

do $$
begin
  if to_regprocedure('auth.uid()') is null or to_regrole('authenticated') is null then
    return; -- no Supabase project: only the owner of the tables sees them
  end if;
  execute 'drop policy if exists "Team members can view agents" on public.monitoring_agents';
  execute 'create policy "Team members can view agents" on public.monitoring_agents for select to authenticated '
    'using (public.has_any_role(auth.uid()))';
  execute 'drop policy if exists "Team members can view locations" on public.check_locations';
  execute 'create policy "Team members can view locations" on public.check_locations for select to authenticated '
    'using (public.has_any_role(auth.uid()))';
  execute 'drop policy if exists "Team members can view confirmations" on public.check_confirmations';
  execute 'create policy "Team members can view confirmations" on public.check_confirmations for select '
    'to authenticated using (public.has_any_role(auth.uid()))';
  execute 'drop policy if exists "Admins manage confirmations" on public.check_confirmations';
  execute 'create policy "Admins manage confirmations" on public.check_confirmations for all to authenticated '
    'using (public.has_role(auth.uid(), ''admin'')) with check (public.has_role(auth.uid(), ''admin''))';
  -- Team members may insert results. Whose a result is, and which group's, is for ingest_check_results alone to say.
  execute 'drop policy if exists "Only agents name agents" on public.check_results';
  execute 'create policy "Only agents name agents" on public.check_results as restrictive for insert to authenticated '
    'with check (agent is null and agent_key_id is null and location is null and owner_rev is null)';
  execute 'drop policy if exists "Admins manage agent keys" on public.agent_key_scopes';
  execute 'create policy "Admins manage agent keys" on public.agent_key_scopes for all to authenticated '
    'using (public.has_role(auth.uid(), ''admin'')) with check (public.has_role(auth.uid(), ''admin''))';
end $$;

-- One row of a batch, read. `code` is the SQLSTATE of what is wrong with it; null: it fits the table.
drop type if exists quartz_agent.incoming cascade;
create type quartz_agent.incoming as (
  ord bigint, id uuid, check_id uuid, status text, response_time_ms integer, status_code integer,
  error_message text, ssl_expiry_date timestamptz, ssl_days_remaining integer, checked_at timestamptz,
  scheduled_at timestamptz, trigger text, state text, reason text, maintenance boolean, owner_rev bigint,
  code text, message text
);

-- The helpers below set no search_path of their own, which would keep PostgreSQL from inlining them: they are called
-- from ingest_check_results only, under its path, and nobody else may use this schema.

-- Null for anything that is no uuid as the agent writes it.
create or replace function quartz_agent.to_uuid(value jsonb) returns uuid
language sql immutable parallel safe as $$
  select case
    when jsonb_typeof(value) = 'string'
      and value #>> '{}' ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
    then (value #>> '{}')::uuid
  end
$$;

-- Null for anything that is no instant of RFC 3339.
create or replace function quartz_agent.to_time(value jsonb) returns timestamptz
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  word text := value #>> '{}';
begin
  if jsonb_typeof(value) is distinct from 'string'
    or word !~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$' then
    return null;
  end if;
  return word::timestamptz;
exception when data_exception then
  return null;
end $$;

-- What is wrong with an optional whole number from 0; null: nothing.
create or replace function quartz_agent.number_problem(name text, value jsonb, negative boolean default false)
returns text language sql immutable parallel safe as $$
  select case
    when coalesce(jsonb_typeof(value), 'null') = 'null' then null
    when jsonb_typeof(value) <> 'number' then '22P02 ' || name || ' must be a whole number, or null'
    -- Judged as a number: the text of 1e130000 has 130,001 digits.
    when scale(value::numeric) > 0 then '22P02 ' || name || ' must be a whole number, or null'
    when value::numeric not between case when negative then -2147483648 else 0 end and 2147483647
    then '22003 ' || name || ' is out of range'
  end
$$;

-- What is wrong with a text member; null: nothing.
create or replace function quartz_agent.word_problem(name text, value jsonb, allowed text[], required boolean)
returns text language sql immutable parallel safe as $$
  select case
    when coalesce(jsonb_typeof(value), 'null') = 'null'
    then case when required then '23502 ' || name || ' is missing' end
    when jsonb_typeof(value) <> 'string' then '22P02 ' || name || ' must be text'
    when allowed is not null and value #>> '{}' <> all (allowed)
    then '22P02 ' || name || ' must be one of ' || array_to_string(allowed, ', ')
  end
$$;

-- What is wrong with an instant; null: nothing.
create or replace function quartz_agent.time_problem(name text, value jsonb, required boolean)
returns text language sql stable parallel safe as $$
  select case
    when coalesce(jsonb_typeof(value), 'null') = 'null'
    then case when required then '23502 ' || name || ' is missing' end
    when quartz_agent.to_time(value) is null then '22007 ' || name || ' must be an instant such as 2026-01-04T02:00:00Z'
  end
$$;

-- What is wrong with the instant of a run; null: nothing. A result of next year would be the latest one for a year.
create or replace function quartz_agent.run_problem(name text, value jsonb, required boolean)
returns text language sql stable parallel safe as $$
  select coalesce(
    quartz_agent.time_problem(name, value, required),
    case when quartz_agent.to_time(value) not between '2000-01-01T00:00:00Z' and now() + interval '1 day'
      then '22008 ' || name || ' must be between the year 2000 and a day from now' end
  )
$$;

-- What is wrong with a revision of a group's store; null: nothing.
create or replace function quartz_agent.revision_problem(value jsonb) returns text
language sql immutable parallel safe as $$
  select case
    when coalesce(jsonb_typeof(value), 'null') = 'null' then null
    when jsonb_typeof(value) <> 'number' then '22P02 owner_rev must be a whole number, or null'
    when scale(value::numeric) > 0 or value::numeric not between 0 and 999999999999999999
    then '22P02 owner_rev must be a whole number, or null'
  end
$$;

-- The first problem of a row; null: it fits the table. The check it names is looked up later, under a lock.
create or replace function quartz_agent.problem(item jsonb) returns text
language sql stable parallel safe as $$
  select coalesce(
    case when quartz_agent.to_uuid(item -> 'monitoring_check_id') is null
      then '22P02 monitoring_check_id must be a uuid' end,
    quartz_agent.word_problem('status', item -> 'status', '{success,failure,timeout}', true),
    quartz_agent.number_problem('response_time_ms', item -> 'response_time_ms'),
    quartz_agent.number_problem('status_code', item -> 'status_code'),
    quartz_agent.number_problem('ssl_days_remaining', item -> 'ssl_days_remaining', true),
    quartz_agent.word_problem('error_message', item -> 'error_message', null, false),
    quartz_agent.run_problem('checked_at', item -> 'checked_at', true),
    quartz_agent.time_problem('ssl_expiry_date', item -> 'ssl_expiry_date', false),
    quartz_agent.run_problem('scheduled_at', item -> 'scheduled_at', false),
    quartz_agent.word_problem('trigger', item -> 'trigger', '{schedule,manual}', false),
    quartz_agent.word_problem('state', item -> 'state', '{up,degraded,down}', false),
    quartz_agent.word_problem('reason', item -> 'reason', null, false),
    case when coalesce(jsonb_typeof(item -> 'maintenance'), 'null') not in ('boolean', 'null')
      then '22P02 maintenance must be true or false' end,
    quartz_agent.revision_problem(item -> 'owner_rev')
  )
$$;

-- What a row is told: a problem is its code and its words.
create or replace function quartz_agent.rejection(id uuid, problem text) returns jsonb
language sql immutable parallel safe as $$
  select jsonb_build_object('id', id, 'code', left(problem, 5), 'message', substr(problem, 7))
$$;

-- Whether a stored row is the one that comes: of the same check, and either this key's or one that says the same.
create or replace function quartz_agent.is_same(
  incoming quartz_agent.incoming, stored public.check_results, key_id uuid)
returns boolean language sql immutable parallel safe as $$
  select stored.monitoring_check_id = incoming.check_id and (stored.agent_key_id is not distinct from key_id
    or stored.status::text = incoming.status and stored.checked_at = incoming.checked_at)
$$;

-- Whether a stored row is another member's run of the same slot, in a group whose members have a key each: of one slot there is one
-- row, of whichever came first, as where they share a key.
create or replace function quartz_agent.is_same_slot(
  incoming quartz_agent.incoming, stored public.check_results, place text)
returns boolean language sql immutable parallel safe as $$
  select coalesce(stored.monitoring_check_id = incoming.check_id and stored.agent_key_id is not null
    and stored.location = place and stored.scheduled_at = incoming.scheduled_at, false)
$$;

-- Whether a stored row has an id that was not its own to take: of another check, of no agent, or of another location. Keys
-- of one location speak for the same slots of a check, under the same ids.
create or replace function quartz_agent.is_squatter(
  incoming quartz_agent.incoming, stored public.check_results, key_id uuid, place text)
returns boolean language sql immutable parallel safe as $$
  select stored.id is not null and not quartz_agent.is_same(incoming, stored, key_id)
    and stored.agent_key_id is distinct from key_id
    and (stored.monitoring_check_id is distinct from incoming.check_id or stored.agent_key_id is null
      or stored.location is distinct from place)
$$;

create table if not exists quartz_agent.secret (
  is_only boolean primary key default true check (is_only), value uuid not null default gen_random_uuid()
);
insert into quartz_agent.secret default values on conflict do nothing;

-- The id of a result whose own was taken: the same for each replay, and known to no key.
create or replace function quartz_agent.other_id(incoming quartz_agent.incoming, key_id uuid)
returns uuid language sql stable as $$
  select md5(s.value || '/' || key_id || '/' || incoming.id || '/' || incoming.check_id)::uuid from quartz_agent.secret s
$$;

-- Reads a batch. A member the table has no column for is ignored: a newer agent may send more.
create or replace function quartz_agent.read_batch(batch jsonb) returns setof quartz_agent.incoming
language sql stable as $$
  select entry.ord, quartz_agent.to_uuid(entry.item -> 'id'), quartz_agent.to_uuid(fine -> 'monitoring_check_id'),
    fine ->> 'status', (fine ->> 'response_time_ms')::integer, (fine ->> 'status_code')::integer,
    left(fine ->> 'error_message', 1024), quartz_agent.to_time(fine -> 'ssl_expiry_date'),
    (fine ->> 'ssl_days_remaining')::integer, quartz_agent.to_time(fine -> 'checked_at'),
    quartz_agent.to_time(fine -> 'scheduled_at'), fine ->> 'trigger', fine ->> 'state',
    left(fine ->> 'reason', 64), (fine ->> 'maintenance')::boolean, (fine ->> 'owner_rev')::bigint,
    left(verdict.problem, 5), substr(verdict.problem, 7)
  from jsonb_array_elements(batch) with ordinality as entry (item, ord)
  -- `offset 0` keeps each row's verdict from being found again for every column that asks for it.
  cross join lateral (select quartz_agent.problem(entry.item) offset 0) as verdict (problem)
  -- Only what fits is converted.
  cross join lateral (select case when verdict.problem is null then entry.item end offset 0) as sound (fine)
$$;

-- The location that an agent names, or null.
create or replace function quartz_agent.place(agent jsonb) returns text language sql immutable parallel safe as $$
  select nullif(left(agent ->> 'location', 100), '')
$$;

-- Whether the key may post as this agent and for its location. Returns what the key is for.
create or replace function quartz_agent.admit(key_id uuid, agent jsonb) returns public.agent_key_scopes
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  scope public.agent_key_scopes;
  place text := quartz_agent.place(agent);
begin
  if jsonb_typeof(agent -> 'name') is distinct from 'string'
    or jsonb_typeof(agent -> 'version') is distinct from 'string'
    or length(agent ->> 'name') not between 1 and 200 or length(agent ->> 'version') not between 1 and 100 then
    raise exception 'agent.name and agent.version are required' using errcode = '22023';
  end if;
  select * into scope from public.agent_key_scopes s where s.api_key_id = key_id;
  if not found or not scope.may_post then
    raise exception 'this key may not post results' using errcode = '42501',
      hint = 'an administrator allows it with a row in agent_key_scopes';
  end if;
  if not (scope.agent_name is null and scope.agent_names is null
    or agent ->> 'name' = any (array_append(coalesce(scope.agent_names, '{}'), scope.agent_name))) is true then
    raise exception 'this key is another agent''s' using errcode = '42501';
  end if;
  if place is not null and scope.locations is null then
    update public.agent_key_scopes s set locations = array[place]
    where s.api_key_id = key_id and s.locations is null;
    -- Another batch of the key may have been first.
    select s.locations into scope.locations from public.agent_key_scopes s where s.api_key_id = key_id;
  end if;
  if place is not null and not coalesce(place = any (scope.locations), false) then
    raise exception 'this key may not post for this location: list it in agent_key_scopes.locations'
      using errcode = '42501';
  end if;
  perform quartz_agent.make_room(key_id, agent ->> 'name');
  return scope;
end $$;

-- A key that any agent may use names as many as it likes: at most 200 are kept. A new one beyond that takes the place of
-- one that has been silent for a week.
create or replace function quartz_agent.make_room(key_id uuid, agent_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from public.monitoring_agents a where a.api_key_id = key_id and a.name = agent_name) then
    return;
  end if;
  -- New names of a key come one after the other.
  perform from public.agent_key_scopes s where s.api_key_id = key_id for no key update;
  if (select count(*) from public.monitoring_agents a where a.api_key_id = key_id) < 200 then
    return;
  end if;
  delete from public.monitoring_agents a where a.id = (
    select o.id from public.monitoring_agents o
    where o.api_key_id = key_id and o.last_seen < now() - interval '7 days' order by o.last_seen limit 1);
  if not found then
    raise exception 'this key has 200 agents already: give this one a key of its own' using errcode = '42501';
  end if;
end $$;

-- A whole number of an agent's report, or null: a report is never a reason to refuse results.
create or replace function quartz_agent.reported(agent jsonb, name text) returns bigint
language sql immutable parallel safe as $$
  select case when agent ->> name ~ '^\d{1,18}$' then (agent ->> name)::bigint end
$$;

-- A time in seconds since 1970, or null where no date can have it.
create or replace function quartz_agent.reported_time(agent jsonb, name text) returns timestamptz
language sql immutable parallel safe as $$
  select to_timestamp(quartz_agent.reported(agent, name)) where quartz_agent.reported(agent, name) < 32503680000
$$;

create or replace function quartz_agent.note_agent(key_id uuid, agent jsonb, fresh integer) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  insert into public.monitoring_agents as known
    (api_key_id, name, region, version, last_result_at, results, spool_depth, oldest_s, lag_s, config_version,
    lost, lost_from, lost_to)
  values (key_id, agent ->> 'name', left(agent ->> 'region', 100), agent ->> 'version',
    case when fresh > 0 then now() end, fresh,
    quartz_agent.reported(agent, 'spool_depth'), quartz_agent.reported(agent, 'oldest_s'),
    quartz_agent.reported(agent, 'lag_s'), left(agent ->> 'config_version', 100),
    quartz_agent.reported(agent, 'lost'), quartz_agent.reported_time(agent, 'lost_from'),
    quartz_agent.reported_time(agent, 'lost_to'))
  on conflict (api_key_id, name) do update set
    region = excluded.region, version = excluded.version, last_seen = now(),
    last_result_at = coalesce(excluded.last_result_at, known.last_result_at),
    results = known.results + excluded.results,
    spool_depth = coalesce(excluded.spool_depth, known.spool_depth),
    oldest_s = coalesce(excluded.oldest_s, known.oldest_s),
    lag_s = coalesce(excluded.lag_s, known.lag_s),
    config_version = coalesce(excluded.config_version, known.config_version),
    lost = coalesce(excluded.lost, known.lost),
    lost_from = case when excluded.lost is null then known.lost_from else excluded.lost_from end,
    lost_to = case when excluded.lost is null then known.lost_to else excluded.lost_to end
$$;

-- Whether a result says that the target is not well. A timeout is a failure, whatever the runner made of it.
create or replace function quartz_agent.is_failing(status public.check_result_status) returns boolean
language sql immutable parallel safe as $$
  select status::text <> 'success'
$$;

-- A result that may move a status or a count: not from a maintenance window, and not from a clock that is ahead.
create or replace function quartz_agent.counts(maintenance boolean, checked_at timestamptz) returns boolean
language sql stable parallel safe as $$
  select not coalesce(maintenance, false) and checked_at <= now() + interval '5 minutes'
$$;

-- How long the word of an agent that had a check fences off those who had it before: three runs and a minute. After that it is
-- gone, or the group has another store, whose revisions begin again.
create or replace function quartz_agent.fence(check_interval integer) returns interval
language sql immutable parallel safe as $$
  select 3 * make_interval(secs => least(greatest(check_interval, 0), 86400)) + interval '1 minute'
$$;

-- Whether a result is of an agent that had the check before another one, which has run it since.
create or replace function quartz_agent.is_fenced(
  rev bigint, checked_at timestamptz, seen_rev bigint, seen_at timestamptz, check_interval integer)
returns boolean language sql immutable parallel safe as $$
  select coalesce(rev < seen_rev and checked_at <= seen_at + quartz_agent.fence(check_interval), false)
$$;

-- The highest revision that a batch may bring. Each write to the store makes one, and restoring a store adds a thousand
-- million: twice that beyond the last one seen is nobody's. After the fence the group may have another store.
create or replace function quartz_agent.highest_revision(seen_rev bigint, seen_at timestamptz, check_interval integer)
returns bigint language sql stable parallel safe as $$
  select case
    when seen_rev is not null and seen_at + quartz_agent.fence(check_interval) > now() then seen_rev + 2000000000
    else 1000000000000
  end
$$;

-- A result older than this says nothing about now.
create or replace function quartz_agent.fresh_since(check_interval integer) returns timestamptz
language sql stable parallel safe as $$
  select now() - greatest(interval '1 hour', 3 * make_interval(secs => least(greatest(check_interval, 0), 86400)))
$$;

-- What each enabled check of some resources says: the latest result, of any location; or where a check is to be confirmed,
-- failing when `needed` of its locations find so, degraded when fewer do, and the latest word where fewer than that report.
create or replace function quartz_agent.verdicts(resource_ids uuid[])
returns table (resource_id uuid, is_failing boolean, is_degraded boolean)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select c.resource_id,
    case when said.alive >= n.needed then said.failing >= n.needed else quartz_agent.is_failing(last.status) end,
    case when said.alive >= n.needed then said.failing > 0 or said.degraded > 0 else last.state = 'degraded' end
  from public.monitoring_checks c
  left join public.check_confirmations n on n.monitoring_check_id = c.id
  left join lateral (
    select count(*) as alive, count(*) filter (where quartz_agent.is_failing(l.status)) as failing,
      count(*) filter (where l.state = 'degraded') as degraded
    from public.check_locations l
    where l.monitoring_check_id = c.id and l.checked_at > quartz_agent.fresh_since(c.check_interval_seconds)
      and (n.locations is null or l.location = any (n.locations))
  ) as said on true
  cross join lateral (
    select w.status, w.state, w.checked_at from (
      (select l.status, l.state, l.checked_at from public.check_locations l
        where l.monitoring_check_id = c.id order by l.checked_at desc limit 1)
      union all
      -- Of who has no location. A check that has some may be run by those alone: no further back than counts.
      (select r.status, r.state, r.checked_at from public.check_results r
        where r.monitoring_check_id = c.id and r.location is null
          and quartz_agent.counts(r.maintenance, r.checked_at)
          and r.checked_at > quartz_agent.fresh_since(c.check_interval_seconds)
        order by r.checked_at desc limit 1)
    ) as w
    order by w.checked_at desc limit 1
  ) as last
  where c.resource_id = any (resource_ids) and c.is_enabled
    and last.checked_at > quartz_agent.fresh_since(c.check_interval_seconds)
$$;

-- Sets the status of each resource from its enabled checks: all failing is down, one failing or degraded is degraded, else
-- up. With nothing that says something about now the status stays.
create or replace function quartz_agent.refresh_resources(check_ids uuid[], newest timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  with touched as (
    select distinct c.resource_id from public.monitoring_checks c where c.id = any (check_ids)
  ),
  verdict as (
    select v.resource_id,
      case when bool_and(v.is_failing) then 'down'
        when bool_or(v.is_failing or coalesce(v.is_degraded, false)) then 'degraded' else 'up' end as status
    from quartz_agent.verdicts((select array_agg(t.resource_id) from touched t)) v
    group by v.resource_id
  )
  update public.resources r set
    status = coalesce(verdict.status::public.resource_status, r.status),
    last_checked_at = greatest(r.last_checked_at, least(newest, now()))
  from touched left join verdict on verdict.resource_id = touched.resource_id
  where r.id = touched.resource_id
$$;

-- Hooks for alerts.sql and the files after it, which replace them; a second run of this file leaves them as they are.
do $$
begin
  if to_regprocedure('quartz_agent.after_batch(uuid,jsonb,uuid[],jsonb)') is null then
    -- What follows from the new rows of a batch; what it returns is added to the answer.
    create function quartz_agent.after_batch(key_id uuid, agent jsonb, fresh uuid[], results jsonb) returns jsonb
    language sql immutable as 'select ''{}''::jsonb';
  end if;
  if to_regprocedure('quartz_agent.counts_failures()') is null then
    -- Whether this file keeps monitoring_checks.current_failure_count.
    create function quartz_agent.counts_failures() returns boolean language sql immutable as 'select true';
  end if;
  if to_regprocedure('quartz_agent.skew_ms(jsonb)') is null then
    -- How far the sender's clock is from this one, in milliseconds, where that matters; null: not at all.
    create function quartz_agent.skew_ms(agent jsonb) returns bigint language sql immutable as 'select null::bigint';
  end if;
end $$;

-- Stores a batch and says what became of each row:
--   {"accepted": n, "duplicates": n, "rejected": [{"id", "code", "message"}]}, which add up to the rows sent.
-- A duplicate is stored already: by this key for the same check, or by another writer with the same check, status and
-- time, as after a change of keys. A row is rejected alone: 22… it does not fit, 23503 its check is gone, 42501 its check
-- is not this key's, 23505 its id is another result's. The whole batch is refused, as an error, for a key that may not
-- post as this agent or for this location (42501), for rows without an id (22023) and for more than 10,000 of them or
-- 16 MiB (54000). An empty batch is a sign of life.
create or replace function public.ingest_check_results(p_key_id uuid, p_agent jsonb, p_results jsonb)
returns jsonb language plpgsql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
declare
  scope public.agent_key_scopes;
  batch quartz_agent.incoming[];
  fresh uuid[];
  skew bigint := quartz_agent.skew_ms(p_agent);
  touched uuid[];
  newest timestamptz;
  refused jsonb;
  taken jsonb;
  gone boolean;
  squatted boolean;
  place text := quartz_agent.place(p_agent);
begin
  scope := quartz_agent.admit(p_key_id, p_agent);
  if jsonb_typeof(p_results) is distinct from 'array' then
    raise exception 'results must be an array' using errcode = '22023';
  elsif jsonb_array_length(p_results) > 10000 or pg_column_size(p_results) > 16777216 then
    raise exception 'at most 10000 results and 16 MiB in one batch' using errcode = '54000';
  end if;
  select array_agg(r order by r.ord) into batch from quartz_agent.read_batch(p_results) r;
  if exists (select from unnest(batch) b where b.id is null) then
    raise exception 'every result needs an id that is a uuid' using errcode = '22023';
  end if;

  -- Resources before checks, each by id: the order in which a deletion takes them, so nobody waits in a circle. From
  -- here on no check of this batch can go away, and no other batch is between reading and writing its count. Only those
  -- of the key: nobody holds up another one's.
  perform from public.resources r where r.id in (
    select c.resource_id from public.monitoring_checks c join unnest(batch) b on b.check_id = c.id)
    and (scope.resource_ids is null or r.id = any (scope.resource_ids))
  order by r.id for no key update of r;
  perform from public.monitoring_checks c where c.id in (select b.check_id from unnest(batch) b)
    and (scope.resource_ids is null or c.resource_id = any (scope.resource_ids))
  order by c.id for no key update of c;

  with judged as (
    select b as incoming, b.ord, b.id, case
      when b.code is not null then b.code || ' ' || b.message
      -- A key with resources of its own is not told which other checks there are.
      when c.id is null and scope.resource_ids is null
      then '23503 Key (monitoring_check_id)=(' || b.check_id || ') is not present in table "monitoring_checks".'
      when c.id is null or not coalesce(scope.resource_ids is null or c.resource_id = any (scope.resource_ids), false)
      then '42501 the check is gone, or this key may not post for its resource'
      when b.owner_rev > quartz_agent.highest_revision(l.owner_rev, l.owner_seen, c.check_interval_seconds)
      then '22003 owner_rev is far ahead of the revisions of its location'
      end as problem
    from unnest(batch) b left join public.monitoring_checks c on c.id = b.check_id
    left join public.check_locations l on l.monitoring_check_id = c.id and l.location = place
  )
  select array_agg(j.incoming order by j.ord) filter (where j.problem is null),
    coalesce(jsonb_agg(quartz_agent.rejection(j.id, j.problem) order by j.ord)
      filter (where j.problem is not null), '[]')
  into batch, refused from judged j;

  -- Whoever knows the next ids posts them first: what comes is stored all the same.
  select array_agg(case when quartz_agent.is_squatter(b, r, p_key_id, place)
    then jsonb_populate_record(b, jsonb_build_object('id', quartz_agent.other_id(b, p_key_id))) else b end order by b.ord)
  into batch from unnest(batch) b left join public.check_results r on r.id = b.id;

  -- What was counted of each check before this batch. What is older fills in history and moves nothing.
  with before as (
    select k.check_id, last.checked_at as newest
    from (select distinct b.check_id from unnest(batch) b) k
    left join lateral (
      select r.checked_at from public.check_results r
      where r.monitoring_check_id = k.check_id and quartz_agent.counts(r.maintenance, r.checked_at)
        and r.trigger is distinct from 'manual' and r.agent is not null
      order by r.checked_at desc limit 1
    ) last on true
  ),
  stored as (
    insert into public.check_results as r (
      id, monitoring_check_id, status, response_time_ms, status_code, error_message, ssl_expiry_date,
      ssl_days_remaining, checked_at, agent, region, scheduled_at, trigger, state, reason, maintenance, location,
      owner_rev, agent_key_id, clock_skew_ms)
    select b.id, b.check_id, b.status::public.check_result_status, b.response_time_ms, b.status_code,
      b.error_message, b.ssl_expiry_date, b.ssl_days_remaining, b.checked_at, p_agent ->> 'name',
      left(p_agent ->> 'region', 100), b.scheduled_at, coalesce(b.trigger, 'schedule'), b.state, b.reason,
      coalesce(b.maintenance, false), place, b.owner_rev, p_key_id, skew
    from unnest(batch) b order by b.id, b.ord
    on conflict (id) do nothing
    returning r.id, r.monitoring_check_id as check_id, r.status, r.state, r.checked_at, r.trigger, r.maintenance,
      r.owner_rev
  ),
  moving as (
    select s.*, c.check_interval_seconds as pace
    from stored s join public.monitoring_checks c on c.id = s.check_id
    left join public.check_locations l on l.monitoring_check_id = s.check_id and l.location = place
    where quartz_agent.counts(s.maintenance, s.checked_at)
      and not quartz_agent.is_fenced(s.owner_rev, s.checked_at, l.owner_rev, l.owner_seen, c.check_interval_seconds)
  ),
  placed as (
    insert into public.check_locations as l
      (monitoring_check_id, location, status, state, checked_at, owner_rev, owner_seen)
    select distinct on (m.check_id) m.check_id, place, m.status, m.state, m.checked_at, m.owner_rev,
      case when m.owner_rev is not null then m.checked_at end
    from moving m where place is not null
    order by m.check_id, m.checked_at desc
    on conflict (monitoring_check_id, location) do update set
      status = excluded.status, state = excluded.state, checked_at = excluded.checked_at,
      owner_rev = coalesce(excluded.owner_rev, l.owner_rev),
      owner_seen = coalesce(excluded.owner_seen, l.owner_seen)
    -- The later one, or that of who has the check by now, which came late.
    where excluded.checked_at > l.checked_at or excluded.owner_rev > l.owner_rev
      and l.checked_at <= excluded.checked_at + quartz_agent.fence((
        select min(m.pace) from moving m where m.check_id = l.monitoring_check_id))
    returning l.monitoring_check_id
  ),
  scheduled as (
    select m.check_id, m.checked_at, quartz_agent.is_failing(m.status) as is_failing,
      max(m.checked_at) filter (where not quartz_agent.is_failing(m.status)) over (partition by m.check_id) as well_at
    from moving m join before b on b.check_id = m.check_id
    where m.trigger <> 'manual' and (b.newest is null or m.checked_at > b.newest)
  ),
  counted as (
    select s.check_id, bool_or(not s.is_failing) as was_well,
      count(*) filter (where s.is_failing and (s.well_at is null or s.checked_at > s.well_at)) as failures
    from scheduled s group by s.check_id
  ),
  bumped as (
    update public.monitoring_checks c set current_failure_count =
      case when n.was_well then 0 else coalesce(c.current_failure_count, 0) end + n.failures
    from counted n
    where quartz_agent.counts_failures() and c.id = n.check_id and c.current_failure_count is distinct from
      (case when n.was_well then 0 else coalesce(c.current_failure_count, 0) end + n.failures)::integer
    returning c.id
  )
  select (select coalesce(array_agg(s.id), '{}') from stored s),
    (select array_agg(distinct m.check_id) from moving m), (select max(m.checked_at) from moving m)
  into fresh, touched, newest;

  -- What has each id by now, also where another batch brought it at the same moment: this statement sees it.
  select coalesce(bool_or(r.id is null), false), coalesce(bool_or(quartz_agent.is_squatter(b, r, p_key_id, place)), false),
    coalesce(jsonb_agg(quartz_agent.rejection(b.id, '23505 the id is another result''s') order by b.ord)
      filter (where not quartz_agent.is_same(b, r, p_key_id) and not quartz_agent.is_same_slot(b, r, place)), '[]')
  into gone, squatted, taken from unnest(batch) b left join public.check_results r on r.id = b.id;
  if gone or squatted then
    raise exception 'results were deleted, or their ids taken, while they were stored' using errcode = '40001';
  end if;
  refused := refused || taken;
  -- An id that came twice is named once: an agent takes an answer that has one twice for none, and would send it for ever.
  if jsonb_array_length(refused) > 1 then
    select jsonb_agg(q.entry order by q.ord) into refused from (
      select distinct on (e.entry ->> 'id') e.entry, e.ord from jsonb_array_elements(refused) with ordinality e (entry, ord)
      order by e.entry ->> 'id', e.ord) q;
  end if;

  if touched is not null then
    perform quartz_agent.refresh_resources(touched, newest);
  end if;
  perform quartz_agent.note_agent(p_key_id, p_agent, cardinality(fresh));
  return jsonb_build_object('accepted', cardinality(fresh),
    'duplicates', jsonb_array_length(p_results) - cardinality(fresh) - jsonb_array_length(refused),
    'rejected', refused) || quartz_agent.after_batch(p_key_id, p_agent, fresh, p_results);
end $$;

-- Requests of each agent's key in a minute. Nothing is lost with it: unlogged.
create unlogged table if not exists quartz_agent.key_rate (
  api_key_id uuid primary key references public.agent_key_scopes (api_key_id) on delete cascade,
  minute timestamptz not null, requests integer not null
);

-- What a key may reach, for the edge function: null for a key that is no agent's, else its scope. The edge function asks at each
-- request, before it does anything else, so requests are counted here: 53400 for one too many.
create or replace function public.agent_key_scope(p_key_id uuid) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
declare
  scope public.agent_key_scopes;
begin
  select * into scope from public.agent_key_scopes s where s.api_key_id = p_key_id;
  if not found then
    return null;
  end if;
  insert into quartz_agent.key_rate as r (api_key_id, minute, requests) values (p_key_id, date_trunc('minute', now()), 1)
  on conflict (api_key_id) do update set minute = greatest(r.minute, excluded.minute),
    requests = case when r.minute < excluded.minute then 1 else r.requests + 1 end
  where r.minute < excluded.minute or r.requests < coalesce(scope.per_minute, 120 * greatest(1, (
    select count(distinct n) from unnest(array_append(coalesce(scope.agent_names, '{}'), scope.agent_name)) n where n is not null)));
  if not found then
    raise exception 'too many requests of this key in a minute' using errcode = '53400',
      hint = 'an administrator allows more with agent_key_scopes.per_minute';
  end if;
  return jsonb_build_object('may_post', scope.may_post, 'agent_name', scope.agent_name, 'agent_names', scope.agent_names,
    'locations', scope.locations, 'resource_ids', scope.resource_ids);
end $$;

-- Nobody but the edge function's role: the key was judged there.
revoke all on all functions in schema quartz_agent from public;
revoke all on quartz_agent.key_rate from public;
revoke all on function public.ingest_check_results(uuid, jsonb, jsonb) from public;
revoke all on function public.agent_key_scope(uuid) from public;
revoke all on public.agent_key_scopes, public.monitoring_agents, public.monitoring_agents_health,
  public.check_locations, public.check_confirmations from public;

do $$
declare
  role text;
begin
  -- Supabase grants everything in public to these two by default.
  foreach role in array array['anon', 'authenticated'] loop
    if to_regrole(role) is not null then
      execute format('revoke all on function public.ingest_check_results(uuid, jsonb, jsonb) from %I', role);
      execute format('revoke all on function public.agent_key_scope(uuid) from %I', role);
      execute format('revoke all on public.agent_key_scopes, public.monitoring_agents, '
        'public.monitoring_agents_health, public.check_locations, public.check_confirmations from %I', role);
    end if;
  end loop;
  if to_regrole('authenticated') is not null then
    execute 'grant select on public.monitoring_agents, public.monitoring_agents_health, public.check_locations '
      'to authenticated';
    execute 'grant select, insert, update, delete on public.check_confirmations to authenticated';
    execute 'grant select, insert, update, delete on public.agent_key_scopes to authenticated';
  end if;
  if to_regrole('service_role') is not null then
    execute 'grant execute on function public.ingest_check_results(uuid, jsonb, jsonb) to service_role';
    execute 'grant execute on function public.agent_key_scope(uuid) to service_role';
    execute 'grant select, insert, update, delete on public.agent_key_scopes, public.monitoring_agents, '
      'public.check_locations, public.check_confirmations to service_role';
    execute 'grant select on public.monitoring_agents_health to service_role';
  end if;
end $$;
