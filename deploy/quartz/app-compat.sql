-- SPDX-License-Identifier: MIT
--
-- What the published iOS app asks of the API and the backend does not answer, in the form that the app decodes: names of
-- fields as it has them, and times in whole seconds, which is the first of its three formats. For app-compat.ts, with the
-- service role. After fleet.sql.

create or replace function quartz_agent.app_time(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

-- Rows of a list from 0 to 500.
create or replace function quartz_agent.app_limit(rows integer) returns integer language sql immutable as $$
  select least(greatest(coalesce(rows, 50), 0), 500)
$$;

-- GET /dashboard/summary: all four statuses, zeros included.
create or replace function public.app_dashboard() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  clients bigint := 0;
begin
  if to_regclass('public.clients') is not null then
    execute 'select count(*) from public.clients' into clients;
  end if;
  return (select jsonb_build_object('clients_count', clients, 'resources_count', count(*),
      'active_alerts_count', (select count(*) from public.alerts a where a.resolved_at is null),
      'open_incidents_count', (select count(*) from public.incidents i where i.status <> 'resolved'),
      'resource_status', jsonb_build_object('up', count(*) filter (where r.status = 'up'),
        'down', count(*) filter (where r.status = 'down'), 'degraded', count(*) filter (where r.status = 'degraded'),
        'unknown', count(*) filter (where r.status = 'unknown')))
    from public.resources r);
end $$;

create or replace function quartz_agent.app_alert_row(a public.alerts) returns jsonb language sql stable as $$
  select jsonb_build_object('id', a.id, 'message', a.message, 'severity', a.severity, 'resource_id', a.resource_id,
    'alert_rule_id', a.alert_rule_id, 'triggered_at', quartz_agent.app_time(a.triggered_at),
    'acknowledged_at', quartz_agent.app_time(a.acknowledged_at), 'resolved_at', quartz_agent.app_time(a.resolved_at),
    'resource_name', r.name, 'resources', jsonb_build_object('name', r.name), 'is_active', a.resolved_at is null,
    'is_acknowledged', a.acknowledged_at is not null, 'notification_suppressed', coalesce(a.notification_suppressed, false))
  from public.resources r where r.id = a.resource_id
$$;

-- GET /alerts?severity&status&limit&offset; status: active, acknowledged or resolved, anything else is all of them.
create or replace function public.app_alerts(p_severity text default null, p_status text default null,
  p_limit integer default 50, p_offset integer default 0) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with wanted as (
    select a from public.alerts a where (p_severity is null or a.severity::text = p_severity)
      and case p_status when 'active' then a.resolved_at is null and a.acknowledged_at is null
        when 'acknowledged' then a.resolved_at is null and a.acknowledged_at is not null
        when 'resolved' then a.resolved_at is not null else true end
  )
  select jsonb_build_object('total', (select count(*) from wanted), 'rows', coalesce((
    select jsonb_agg(quartz_agent.app_alert_row(q.a) order by (q.a).triggered_at desc, (q.a).id)
    from (select w.a from wanted w order by (w.a).triggered_at desc, (w.a).id
      limit quartz_agent.app_limit(p_limit) offset greatest(coalesce(p_offset, 0), 0)) q), '[]'))
$$;

-- GET /alerts/ID; PUT /alerts/ID/acknowledge and /resolve: what is acknowledged or resolved already stays as it was. Null: there
-- is none.
create or replace function public.app_alert(p_id uuid, p_action text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
begin
  if p_action = 'acknowledge' then
    update public.alerts a set acknowledged_at = now() where a.id = p_id and a.acknowledged_at is null;
  elsif p_action = 'resolve' then
    update public.alerts a set resolved_at = greatest(date_trunc('second', now()), a.triggered_at)
    where a.id = p_id and a.resolved_at is null;
  end if;
  return (select quartz_agent.app_alert_row(a) from public.alerts a where a.id = p_id);
end $$;

-- GET /monitoring-checks?resource_id without is_enabled: enabled and disabled ones, with a name.
create or replace function public.app_checks(p_resource uuid default null, p_limit integer default 500, p_offset integer default 0)
returns jsonb language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with wanted as (select c from public.monitoring_checks c where p_resource is null or c.resource_id = p_resource)
  select jsonb_build_object('total', (select count(*) from wanted), 'rows', coalesce((
    select jsonb_agg(jsonb_build_object('id', (q.c).id, 'resource_id', (q.c).resource_id,
        'name', upper((q.c).check_type::text) || coalesce(' ' || left(quartz_agent.host_of(q.c), 100), ''),
        'check_type', (q.c).check_type, 'is_enabled', (q.c).is_enabled, 'interval', (q.c).check_interval_seconds,
        'check_interval_seconds', (q.c).check_interval_seconds, 'created_at', quartz_agent.app_time((q.c).created_at),
        'resources', jsonb_build_object('name', (select r.name from public.resources r where r.id = (q.c).resource_id)))
      order by (q.c).created_at, (q.c).id)
    from (select w.c from wanted w order by (w.c).created_at, (w.c).id
      limit quartz_agent.app_limit(p_limit) offset greatest(coalesce(p_offset, 0), 0)) q), '[]'))
$$;

-- GET /monitoring-checks/ID/results?limit: the newest first. Null: there is no such check.
create or replace function public.app_results(p_check uuid, p_limit integer default 100) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce((select jsonb_agg(jsonb_build_object('id', q.id, 'check_id', q.monitoring_check_id,
      'status', case when q.status::text <> 'success' then 'down' when q.state = 'degraded' then 'degraded' else 'up' end,
      'response_time_ms', q.response_time_ms, 'status_code', q.status_code, 'checked_at', quartz_agent.app_time(q.checked_at),
      'error_message', q.error_message, 'maintenance', coalesce(q.maintenance, false)) order by q.checked_at desc, q.id)
    from (select * from public.check_results r where r.monitoring_check_id = c.id
      order by r.checked_at desc, r.id limit quartz_agent.app_limit(p_limit)) q), '[]')
  from public.monitoring_checks c where c.id = p_check
$$;

-- GET /alert-rules without is_enabled, and /alert-rules/ID: rules that people gave no name have one. An array.
create or replace function public.app_rules(p_id uuid default null, p_limit integer default 500) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', q.id,
      'name', coalesce(nullif(q.name, ''), replace(q.rule_type::text, '_', ' ') || ' ' || q.comparison_operator || ' ' || q.threshold_value),
      'rule_type', q.rule_type, 'is_enabled', q.is_enabled,
      'severity', case when q.rule_type::text in ('downtime', 'consecutive_failures') then 'critical' else 'warning' end,
      'description', null, 'resource_id', q.resource_id, 'resource_type', q.resource_type, 'is_template', coalesce(q.is_template, false),
      'threshold', q.threshold_value, 'threshold_value', q.threshold_value, 'threshold_operator', q.comparison_operator,
      'created_at', quartz_agent.app_time(q.created_at), 'updated_at', quartz_agent.app_time(q.updated_at))
    order by q.created_at desc, q.id), '[]')
  from (select * from public.alert_rules r where p_id is null or r.id = p_id
    order by r.created_at desc, r.id limit quartz_agent.app_limit(p_limit)) q
$$;

-- POST /monitoring-checks/ID/run: as ask_checks, of a key. Null: there is no such check.
create or replace function public.app_ask(p_key_id uuid, p_check uuid) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
begin
  if not exists (select from public.monitoring_checks c where c.id = p_check) then
    return null;
  end if;
  return quartz_agent.ask_for(p_key_id, p_check, null);
end $$;

-- GET /asks/ID, of the key that asked or joined. Null: there is no such ask.
create or replace function public.app_asked(p_key_id uuid, p_id uuid) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('id', a.id, 'check_id', a.monitoring_check_id,
    'state', case when a.state = 'open' and a.expires_at <= now() then 'expired' else a.state end,
    'asked_at', quartz_agent.app_time(a.asked_at), 'expires_at', quartz_agent.app_time(a.expires_at),
    'result', case when r.id is not null then quartz_agent.ask_result(r)
      || jsonb_build_object('checked_at', quartz_agent.app_time(r.checked_at)) end)
  from public.check_asks a left join public.check_results r on r.id = a.result_id
  where a.id = p_id and exists (select from quartz_agent.ask_log l where l.ask_id = a.id and l.asked_by = p_key_id)
$$;

-- GET /me: the key, as the app reads it in its two places, where a person is wanted and where a key is.
create or replace function public.app_me(p_key_id uuid) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('id', k.id, 'full_name', k.name, 'roles', '["viewer"]'::jsonb, 'primary_role', 'viewer',
    'key_id', k.id, 'key_name', k.name, 'key_prefix', k.key_prefix, 'is_enabled', coalesce(k.is_enabled, true),
    'created_at', quartz_agent.app_time(coalesce(k.created_at, now())), 'last_used_at', quartz_agent.app_time(k.last_used_at),
    'request_count', coalesce(k.request_count, 0), 'expires_at', quartz_agent.app_time(k.expires_at))
  from public.api_keys k where k.id = p_key_id
$$;
