-- SPDX-License-Identifier: MIT
--
-- The tables of the Quartz backend for alerts, incidents and channels, after schema.sql, and what of pg_cron the
-- backend's jobs need.

create type public.alert_severity as enum ('critical', 'warning', 'info');
create type public.incident_status as enum ('open', 'investigating', 'resolved');
create type public.notification_channel_type as enum ('email', 'slack', 'teams', 'webhook');
create type public.alert_rule_type as enum
  ('downtime', 'ssl_expiry', 'response_time', 'consecutive_failures', 'azure_cost_threshold', 'azure_cpu_usage');

create table public.alert_rules (
  id uuid primary key default gen_random_uuid(),
  resource_id uuid references public.resources on delete cascade,
  rule_type alert_rule_type not null, threshold_value integer not null,
  comparison_operator text not null default 'gte' check (comparison_operator in ('gt', 'gte', 'lt', 'lte', 'eq')),
  is_enabled boolean not null default true,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  resource_type text, is_template boolean default false, name text,
  quiet_hours_enabled boolean default false, quiet_hours_start time, quiet_hours_end time, quiet_hours_days text[],
  quiet_hours_timezone text default 'UTC',
  constraint alert_rules_target_check check (
    resource_id is not null and resource_type is null and is_template = false
    or resource_id is null and resource_type is not null and is_template = true));
create table public.alert_rule_exclusions (
  id uuid primary key default gen_random_uuid(),
  alert_rule_id uuid not null references public.alert_rules on delete cascade,
  resource_id uuid not null references public.resources on delete cascade,
  created_at timestamptz default now(), unique (alert_rule_id, resource_id));
create table public.notification_channels (
  id uuid primary key default gen_random_uuid(), name text not null, channel_type notification_channel_type not null,
  configuration jsonb not null default '{}', is_enabled boolean not null default true,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create table public.alert_notification_channels (
  id uuid primary key default gen_random_uuid(),
  alert_rule_id uuid not null references public.alert_rules on delete cascade,
  notification_channel_id uuid not null references public.notification_channels on delete cascade,
  created_at timestamptz not null default now(), unique (alert_rule_id, notification_channel_id));
create table public.alerts (
  id uuid primary key default gen_random_uuid(), resource_id uuid not null references public.resources on delete cascade,
  alert_rule_id uuid references public.alert_rules on delete set null, severity alert_severity not null,
  message text not null, triggered_at timestamptz not null default now(), acknowledged_at timestamptz,
  acknowledged_by uuid references auth.users on delete set null, resolved_at timestamptz,
  notification_suppressed boolean default false, suppression_reason text);
create index idx_alerts_active on public.alerts (resource_id, triggered_at desc) where resolved_at is null;
create table public.incidents (
  id uuid primary key default gen_random_uuid(), title text not null, description text, severity alert_severity not null,
  status incident_status not null default 'open', started_at timestamptz not null default now(),
  resolved_at timestamptz, resolved_by uuid references auth.users on delete set null, root_cause text,
  resolution_notes text, created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create table public.incident_alerts (
  id uuid primary key default gen_random_uuid(), incident_id uuid not null references public.incidents on delete cascade,
  alert_id uuid not null references public.alerts on delete cascade, created_at timestamptz not null default now(),
  unique (incident_id, alert_id));

do $$
declare
  name text;
begin
  foreach name in array array['alert_rules', 'alert_rule_exclusions', 'notification_channels',
    'alert_notification_channels', 'alerts', 'incidents', 'incident_alerts', 'maintenance_windows'] loop
    execute format('alter table public.%I enable row level security', name);
    execute format('create policy "Team members can view" on public.%I for select to authenticated '
      'using (public.has_any_role(auth.uid()))', name);
  end loop;
  foreach name in array array['alerts', 'incidents'] loop
    execute format('create policy "Admins and editors can update" on public.%I for update to authenticated '
      'using (public.has_role(auth.uid(), ''admin'') or public.has_role(auth.uid(), ''editor''))', name);
    execute format('create policy "Admins and editors can insert" on public.%I for insert to authenticated '
      'with check (public.has_role(auth.uid(), ''admin'') or public.has_role(auth.uid(), ''editor''))', name);
  end loop;
end $$;

create table public.clients (
  id uuid primary key default gen_random_uuid(), name text not null, status text not null default 'active',
  created_at timestamptz not null default now());

create schema cron;
create table cron.job (
  jobid bigint generated always as identity primary key, schedule text not null, command text not null,
  active boolean not null default true, jobname text unique);
create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
  insert into cron.job (jobname, schedule, command) values (job_name, schedule, command)
  on conflict (jobname) do update set schedule = excluded.schedule, command = excluded.command, active = true returning jobid
$$;
create function cron.unschedule(job_id bigint) returns boolean language sql as $$
  delete from cron.job where jobid = job_id returning true
$$;
select cron.schedule('run-monitoring-checks', '* * * * *',
  $$select net.http_post(url := 'https://project.supabase.co/functions/v1/execute-checks')$$);
