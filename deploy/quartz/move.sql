-- SPDX-License-Identifier: MIT
--
-- From the backend's own runner to the agents and back: select quartz_agent.shadow(), .cutover(), .rollback(). After dispatch.sql.

-- The runner's jobs of pg_cron on or off. It has had two names and a job's number changes: the command is what tells.
-- `chosen`: no other jobs; null: all. Returns those that changed.
drop function if exists quartz_agent.set_runner(boolean);
create or replace function quartz_agent.set_runner(is_active boolean, chosen bigint[]) returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  job record;
  changed bigint[] := '{}';
begin
  if to_regclass('cron.job') is null then
    return changed;
  end if;
  for job in execute 'select jobid, active from cron.job where command like ''%execute-checks%'' order by jobid' loop
    continue when job.active = is_active or not job.jobid = any (chosen);
    execute 'update cron.job set active = $1 where jobid = $2' using is_active, job.jobid;
    changed := changed || job.jobid;
  end loop;
  return changed;
end $$;

-- Whether a message has a form that the runner writes.
create or replace function quartz_agent.is_runners(message text) returns boolean language sql immutable as $$
  select message ~ '^Check failed \d+ consecutive time\(s\) \(threshold: \d+\)$'
    or message ~ '^Response time \d+ms exceeded threshold \d+ms$'
    or message ~ '^SSL certificate expires in (-?\d+|null) days \(threshold: \d+ days\)$'
    or message ~ '^(HTTP|PING|PORT|SSL|KEYWORD|HEARTBEAT|AZURE_METRIC|AZURE_HEALTH) check (alert|failed): '
$$;

create or replace function quartz_agent.resolve_runners() returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  changed integer;
begin
  update public.alerts a set resolved_at = greatest(now(), a.triggered_at), resolution = 'migrated'
  where a.resolved_at is null and a.alert_key is null and quartz_agent.is_runners(a.message);
  get diagnostics changed = row_count;
  return changed;
end $$;

-- 1. Agents deliver and the runner runs: what would be opened and resolved is written to quartz_agent.shadow_log.
create or replace function quartz_agent.shadow() returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if quartz_agent.mode() = 'on' then
    raise exception 'alerts are on: quartz_agent.rollback() goes back' using errcode = '55000';
  end if;
  update quartz_agent.settings set alerts = 'shadow';
  return jsonb_build_object('alerts', 'shadow');
end $$;

-- 2. The runner off, its alerts resolved, ours on; what is failing now is open with its true begin. One transaction.
create or replace function quartz_agent.cutover() returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '10s' as $$
declare
  x record;
  c public.monitoring_checks;
  opening uuid;
  jobs bigint[];
  resolved integer;
  had uuid[];
  opened integer := 0;
  carried integer := 0;
begin
  -- No batch is between its evaluation and its commit: each of them reads the mode.
  lock table quartz_agent.settings in access exclusive mode;
  if quartz_agent.mode() = 'on' then
    return jsonb_build_object('alerts', 'on', 'changed', false);
  end if;
  perform quartz_agent.hold_incidents();
  -- The runner judged heartbeats until now: those that are overdue are failing as well, since they were due and so often as it
  -- counted, and opened below.
  insert into quartz_agent.place_state as k (check_id, place, evaluated_to, failures, failing_since)
  select m.id, 'backend', q.due, greatest(m.current_failure_count, 0), q.due from public.monitoring_checks m cross join lateral (
    select coalesce(m.last_heartbeat_at, m.created_at)
      + 1.5 * make_interval(secs => coalesce(nullif(greatest(m.heartbeat_interval_seconds, 0), 0), 300)) as due) q
  where m.check_type::text = 'heartbeat' and m.is_enabled and q.due < now() - interval '1 minute'
  on conflict (check_id, place) do update set evaluated_to = excluded.evaluated_to, failures = excluded.failures,
    failing_since = excluded.failing_since where k.evaluated_to < excluded.evaluated_to and k.failures = 0;
  perform quartz_agent.tick_heartbeats();
  jobs := quartz_agent.set_runner(false, null);
  select array_agg(distinct a.resource_id) into had from public.alerts a
  where a.resolved_at is null and a.alert_key is null and quartz_agent.is_runners(a.message);
  resolved := quartz_agent.resolve_runners();
  update quartz_agent.settings set alerts = 'on', cutover_at = now(), runner_jobs = jobs;
  for x in select a.* from quartz_agent.alarm a join public.monitoring_checks m on m.id = a.check_id and m.is_enabled
    where a.is_on order by a.check_id, a.kind
  loop
    select * into c from public.monitoring_checks m where m.id = x.check_id;
    opening := quartz_agent.open_alert(x.row_id, c.id || '/' || x.kind, c.resource_id, c.id, x.rules[1], x.severity, x.message, x.on_at, x.since);
    update quartz_agent.alarm a set alert_id = opening where a.check_id = x.check_id and a.kind = x.kind;
    if c.resource_id = any (had) then
      -- The runner told of it.
      update public.alerts a set notification_suppressed = true, suppression_reason = 'Carried over' where a.id = opening;
      perform quartz_agent.incident_of((select a from public.alerts a where a.id = opening),
        (select r.name from public.resources r where r.id = c.resource_id) || ': ' || x.kind);
      carried := carried + 1;
    else
      perform quartz_agent.announce(opening, 'opened', x.rules, x.kind, quartz_agent.key_of(x.row_id));
      opened := opened + 1;
    end if;
  end loop;
  update public.monitoring_checks m set current_failure_count = s.failures
  from (select p.check_id, max(p.failures) as failures from quartz_agent.place_state p group by p.check_id) s
  where m.id = s.check_id and m.current_failure_count is distinct from s.failures;
  return jsonb_build_object('alerts', 'on', 'changed', true, 'runner_jobs_stopped', cardinality(jobs), 'runner_alerts_resolved', resolved,
    'opened', opened, 'carried_over', carried);
end $$;

-- A run of the runner that was under way at the cutover lasts 161 s at most, and may still write alerts.
create or replace function quartz_agent.tick_move() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (select s.cutover_at > now() - interval '10 minutes' from quartz_agent.settings s) then
    perform quartz_agent.resolve_runners();
  end if;
end $$;

-- 3. Back: own open alerts end in silence, the runner's jobs run again.
create or replace function quartz_agent.rollback() returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '10s' as $$
declare
  jobs bigint[] := '{}';
  resolved integer;
begin
  lock table quartz_agent.settings in access exclusive mode;
  perform quartz_agent.hold_incidents();
  -- Those that the cutover stopped: one that an administrator had stopped before stays so.
  if quartz_agent.mode() = 'on' then
    jobs := quartz_agent.set_runner(true, (select s.runner_jobs from quartz_agent.settings s));
  end if;
  update quartz_agent.settings set alerts = 'shadow', cutover_at = null, runner_jobs = null where alerts = 'on';
  update public.alerts a set resolved_at = greatest(date_trunc('second', now()), a.triggered_at), resolution = 'rolled back'
  where a.resolved_at is null and a.alert_key is not null;
  get diagnostics resolved = row_count;
  update quartz_agent.alarm a set alert_id = null where a.alert_id is not null;
  update public.incidents i set status = 'resolved', resolved_at = now() where i.incident_key is not null and i.status <> 'resolved';
  update public.alert_notifications n set state = 'dropped', error = 'rolled back' where n.state = 'waiting';
  -- Agents are watched while alerts are on: nothing is known of them from now on.
  update public.resources r set status = 'unknown', description = case when r.description is null or r.description like 'quartz-agent %'
    then 'quartz-agent is not watched while alerts are off.' else r.description end
  where r.id in (select a.resource_id from public.monitoring_agents a);
  update public.monitoring_agents a set troubles = '{}', words = null, late_since = null, behind_since = null, behind_at = null
  where a.troubles <> '{}' or a.words is not null or a.late_since is not null or a.behind_since is not null;
  return jsonb_build_object('alerts', quartz_agent.mode(), 'alerts_resolved', resolved, 'runner_jobs_started', cardinality(jobs));
end $$;
