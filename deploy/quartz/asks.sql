-- SPDX-License-Identifier: MIT
--
-- Run now: a member of the team asks, the agent that has the check runs it, and its result answers. After move.sql.

create table if not exists public.check_asks (
  id uuid primary key default gen_random_uuid(),
  monitoring_check_id uuid not null references public.monitoring_checks (id) on delete cascade,
  asked_by uuid,
  asked_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '60 seconds',
  state text not null default 'open' check (state in ('open', 'done', 'expired')),
  answered_at timestamptz,
  answered_by text,
  result_id uuid
);
create unique index if not exists check_asks_one_open on public.check_asks (monitoring_check_id) where state = 'open';
create index if not exists check_asks_by_person on public.check_asks (asked_by, asked_at);
alter table public.check_asks enable row level security;
alter table public.check_results add column if not exists ask_id uuid;
comment on column public.check_results.ask_id is 'The ask of check_asks that this result answers';

-- One row an ask of a person, one that joined another's included: the audit, and what the rate counts.
create table if not exists quartz_agent.ask_log (
  asked_by uuid not null, asked_at timestamptz not null default now(), ask_id uuid not null, joined boolean not null
);
create index if not exists ask_log_by_person on quartz_agent.ask_log (asked_by, asked_at);

-- What a person, or a key of the app, asks for: one check, or all of a resource; both null: all. At most 200 checks, and 60 asks a
-- minute, of which one call for many checks is one. Open ones are joined. 53400: too many.
create or replace function quartz_agent.ask_for(me uuid, p_check uuid, p_resource uuid) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  wanted uuid[];
  unheard uuid[];
  other uuid[];
  asks uuid[];
begin
  perform pg_advisory_xact_lock(711422, hashtext(me::text));
  if (select count(distinct l.asked_at) from quartz_agent.ask_log l where l.asked_by = me and l.asked_at > now() - interval '1 minute') >= 60
    or (select count(*) from quartz_agent.ask_log l where l.asked_by = me and l.asked_at > now() - interval '1 minute') >= 600 then
    raise exception 'too many runs asked for in a minute; try again shortly' using errcode = '53400';
  end if;
  update public.check_asks a set state = 'expired' where a.state = 'open' and a.expires_at <= now();
  select array_agg(c.id order by c.id) filter (where c.runs and c.heard), array_agg(c.id) filter (where c.runs and not c.heard),
    array_agg(c.id) filter (where not c.runs)
  into wanted, unheard, other
  from (
    select c.id, c.check_type::text in ('http', 'keyword', 'port', 'ping', 'ssl') as runs, exists (
      select from public.agent_key_scopes s join public.monitoring_agents a on a.api_key_id = s.api_key_id
      where s.may_post and (s.resource_ids is null or c.resource_id = any (s.resource_ids))
        and a.retired_at is null and a.last_seen > now() - interval '90 seconds' and 'asks' = any (a.can)) as heard
    from public.monitoring_checks c
    where c.is_enabled and (p_check is null or c.id = p_check) and (p_resource is null or c.resource_id = p_resource)
    order by c.id limit 200) c;
  -- One that is almost over would be offered to no agent any more: a new one takes its place. Its answer counts if it comes.
  update public.check_asks a set state = 'expired' where a.id in (
    select b.id from public.check_asks b where b.state = 'open' and b.monitoring_check_id = any (wanted)
      and b.expires_at < now() + least((select s.contact_s from quartz_agent.settings s) + 5, 30) * interval '1 second'
    order by b.monitoring_check_id for update);
  insert into public.check_asks (monitoring_check_id, asked_by) select w, me from unnest(wanted) w order by w
  on conflict (monitoring_check_id) where state = 'open' do nothing;
  select array_agg(a.id) into asks from public.check_asks a where a.state = 'open' and a.monitoring_check_id = any (wanted);
  insert into quartz_agent.ask_log (asked_by, ask_id, joined)
  select me, a.id, a.asked_by is distinct from me or a.asked_at <> now() from public.check_asks a where a.id = any (asks);
  return jsonb_build_object('asks', to_jsonb(coalesce(asks, '{}')), 'no_agent', to_jsonb(coalesce(unheard, '{}')),
    'not_run_by_agents', to_jsonb(coalesce(other, '{}')));
end $$;

-- The same of the caller. An error names what to do: 42501 no member, 53400 too many.
create or replace function public.ask_checks(p_check uuid default null, p_resource uuid default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
declare
  me uuid := auth.uid();
begin
  if me is null or not public.has_any_role(me) then
    raise exception 'only members of the team may run checks' using errcode = '42501';
  end if;
  return quartz_agent.ask_for(me, p_check, p_resource);
end $$;

-- A result of an ask, as people read it.
create or replace function quartz_agent.ask_result(r public.check_results) returns jsonb language sql stable as $$
  select jsonb_build_object('id', r.id, 'check_id', r.monitoring_check_id, 'status', r.status, 'response_time_ms', r.response_time_ms,
    'status_code', r.status_code, 'error_message', r.error_message, 'checked_at', r.checked_at, 'agent', r.agent)
$$;

-- How asks stand, for who asked them or joined: {"total", "open", "expired", "results"}.
create or replace function public.asks_state(p_ids jsonb) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('total', count(*), 'open', count(*) filter (where a.state = 'open' and a.expires_at > now()),
    'expired', count(*) filter (where a.state = 'expired' or a.state = 'open' and a.expires_at <= now()),
    'results', coalesce(jsonb_agg(quartz_agent.ask_result(r) order by r.checked_at) filter (where r.id is not null), '[]'))
  from (select distinct quartz_agent.to_uuid(e.value) as id
    from jsonb_array_elements(case when jsonb_typeof(p_ids) = 'array' and jsonb_array_length(p_ids) <= 200 then p_ids else '[]' end) e) w
  join public.check_asks a on a.id = w.id left join public.check_results r on r.id = a.result_id
  where public.has_any_role(auth.uid())
    and exists (select from quartz_agent.ask_log l where l.ask_id = a.id and l.asked_by = auth.uid())
$$;

-- Results that answer asks: of the same check, by hand, in this batch. An ask is answered once.
create or replace function quartz_agent.answer_asks(key_id uuid, agent jsonb, results jsonb) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  with said as (
    select distinct on (a.id) a.id as ask_id, r.id as result_id
    from jsonb_array_elements(results) b join public.check_results r on r.id = quartz_agent.to_uuid(b -> 'id')
    join public.check_asks a on a.id = quartz_agent.to_uuid(b -> 'ask_id')
    where b ? 'ask_id' and a.monitoring_check_id = r.monitoring_check_id and r.agent_key_id = key_id and r.trigger = 'manual'
      and a.state <> 'done' order by a.id, r.checked_at desc
  ), marked as (
    update public.check_results r set ask_id = s.ask_id from said s where r.id = s.result_id and r.ask_id is null
  )
  update public.check_asks a set state = 'done', answered_at = now(), answered_by = left(agent ->> 'name', 200), result_id = s.result_id
  from said s where a.id = s.ask_id and a.state <> 'done'
$$;

drop function if exists quartz_agent.open_asks(public.agent_key_scopes);
-- The open asks that are offered to an agent: all in its key's scope; the one that has the check runs it. At most fifty: those of
-- checks that ran at its place come first, so that asks for an agent that is gone hold up no other.
create or replace function quartz_agent.open_asks(scope public.agent_key_scopes, place text) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'check_id', q.monitoring_check_id,
    'expires_s', ceil(extract(epoch from q.expires_at - now()))::integer) order by q.is_elsewhere, q.asked_at, q.id), '[]')
  from (select a.*, not exists (select from quartz_agent.place_state s where s.check_id = a.monitoring_check_id
      and s.place = open_asks.place) as is_elsewhere
    from public.check_asks a join public.monitoring_checks c on c.id = a.monitoring_check_id
    where a.state = 'open' and a.expires_at > now() and c.is_enabled
      and (scope.resource_ids is null or c.resource_id = any (scope.resource_ids))
    order by is_elsewhere, a.asked_at, a.id limit 50) q
$$;

create or replace function quartz_agent.tick_asks() returns void language sql as $$
  update public.check_asks a set state = 'expired' where a.state = 'open' and a.expires_at <= now();
  delete from public.check_asks a where a.asked_at < now() - interval '90 days';
  delete from quartz_agent.ask_log l where l.asked_at < now() - interval '90 days';
$$;

do $$
begin
  if to_regprocedure('auth.uid()') is null or to_regrole('authenticated') is null then
    return;
  end if;
  execute 'drop policy if exists "Team members can view asks" on public.check_asks';
  execute 'create policy "Team members can view asks" on public.check_asks for select to authenticated '
    'using (public.has_any_role(auth.uid()))';
end $$;
