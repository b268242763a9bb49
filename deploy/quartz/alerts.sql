-- SPDX-License-Identifier: MIT
--
-- Alerts and incidents of the apps: tables, columns and rights. The functions are in the files that install.sql names
-- after this one. Safe to run again; changes no row.

set local lock_timeout = '10s';

-- What alerts of the apps say beyond the backend's own columns. All optional: rows of other writers leave them null.
-- monitoring_check_id has no foreign key on purpose: with one, alerts would be a join table of checks and resources, and
-- queries that embed one in the other become ambiguous.
alter table public.alerts
  add column if not exists monitoring_check_id uuid,
  add column if not exists alert_key text,
  add column if not exists first_failed_at timestamptz,
  add column if not exists occurrences integer not null default 1,
  add column if not exists resolution text,
  add column if not exists acknowledged_via text;
comment on column public.alerts.alert_key is
  'CHECK/availability, CHECK/performance, CHECK/certificate, agent:ID/silent, …/clock, …/lost, …/late, …/list; null: another writer''s';
comment on column public.alerts.first_failed_at is 'When the first failure of the series was seen; triggered_at is when it was enough';
comment on column public.alerts.occurrences is 'How often it opened: within five minutes of its end it is the same alert';
comment on column public.alerts.resolution is
  'recovered, maintenance, disabled, deleted, by hand, no agent runs it, migrated, rolled back, corrected: later rows show that it was none';
create unique index if not exists alerts_one_open on public.alerts (alert_key)
  where resolved_at is null and alert_key is not null;
create index if not exists alerts_by_key on public.alerts (alert_key, triggered_at) where alert_key is not null;
create index if not exists alerts_by_resource on public.alerts (resource_id) where alert_key is not null;

alter table public.incidents add column if not exists incident_key text;
create unique index if not exists incidents_one_open on public.incidents (incident_key)
  where status <> 'resolved' and incident_key is not null;
create index if not exists incident_alerts_by_alert on public.incident_alerts (alert_id);

alter table public.monitoring_agents
  add column if not exists resource_id uuid references public.resources (id) on delete set null,
  add column if not exists location text,
  add column if not exists started_at timestamptz,
  add column if not exists clock_skew_ms bigint,
  add column if not exists list_version bigint,
  add column if not exists checks integer,
  add column if not exists can text[],
  add column if not exists windows_version text,
  add column if not exists retired_at timestamptz;
comment on column public.monitoring_agents.retired_at is 'Set by an administrator: it is expected to be silent from now on';

create table if not exists quartz_agent.settings (
  one boolean primary key default true check (one),
  alerts text not null default 'shadow' check (alerts in ('off', 'shadow', 'on')),
  reopen interval not null default '5 minutes',
  remind interval not null default '4 hours',
  silent interval not null default '3 minutes',
  contact_s integer not null default 10 check (contact_s between 5 and 60),
  cutover_at timestamptz,
  last_tick timestamptz
);
alter table quartz_agent.settings add column if not exists per_key integer not null default 60 check (per_key > 0);
alter table quartz_agent.settings add column if not exists runner_jobs bigint[],
  add column if not exists away_from timestamptz, add column if not exists resumed_at timestamptz;
comment on column quartz_agent.settings.resumed_at is 'When the tick ran again after the database had been away since away_from';
comment on column quartz_agent.settings.runner_jobs is 'Jobs of the runner that the cutover stopped, which a rollback starts; null: all';
comment on column quartz_agent.settings.per_key is 'Begins and escalations that one agent key may have a channel notified of in an hour';
insert into quartz_agent.settings default values on conflict do nothing;

-- What is known of a check from each place: a group of agents, or an agent on its own.
create table if not exists quartz_agent.place_state (
  check_id uuid not null references public.monitoring_checks (id) on delete cascade,
  place text not null,
  evaluated_to timestamptz not null,
  failures integer not null default 0,
  failing_since timestamptz,
  is_slow boolean not null default false,
  days_left integer,
  is_expiring boolean not null default false,
  owner_rev bigint,
  owner_seen timestamptz,
  primary key (check_id, place)
);
create index if not exists place_state_unwell on quartz_agent.place_state (check_id)
  where failures > 0 or is_slow or is_expiring;

-- The alarm of a check and kind: on or off, whether an alert is made of it or, in shadow, none.
create table if not exists quartz_agent.alarm (
  check_id uuid not null references public.monitoring_checks (id) on delete cascade,
  kind text not null check (kind in ('availability', 'performance', 'certificate')),
  is_on boolean not null,
  alert_id uuid,
  rules uuid[] not null default '{}',
  severity public.alert_severity not null,
  message text not null,
  on_at timestamptz not null,
  since timestamptz not null,
  off_at timestamptz,
  ended text,
  row_id uuid not null,
  place text,
  host text,
  primary key (check_id, kind)
);
create index if not exists alarm_on on quartz_agent.alarm (check_id) where is_on;
create index if not exists alarm_by_host on quartz_agent.alarm (host);
create index if not exists alarm_by_place on quartz_agent.alarm (place, on_at) where is_on;
create index if not exists alarm_by_alert on quartz_agent.alarm (alert_id);

-- Checks of which rows came that are older than what was evaluated: rebuilt by the tick.
create table if not exists quartz_agent.dirty (
  check_id uuid primary key references public.monitoring_checks (id) on delete cascade,
  since timestamptz not null,
  first_at timestamptz not null default now(),
  touched_at timestamptz not null default now()
);

-- What would have been opened, escalated and resolved while alerts = 'shadow', to compare with the runner's alerts.
create table if not exists quartz_agent.shadow_log (
  id bigint generated always as identity primary key,
  check_id uuid not null, kind text not null, what text not null, at timestamptz not null,
  severity public.alert_severity, message text, noted_at timestamptz not null default now()
);

-- What is to be sent, and what became of it: the queue and the log in one.
create table if not exists public.alert_notifications (
  id uuid primary key default gen_random_uuid(),
  incident_id uuid references public.incidents (id) on delete cascade,
  alert_id uuid not null references public.alerts (id) on delete cascade,
  channel_id uuid not null references public.notification_channels (id) on delete cascade,
  what text not null check (what in ('opened', 'escalated', 'resolved', 'reminder')),
  occurrence integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'dropped', 'failed')),
  -- Not the transaction's time, which may have waited for the queue: the order within the queue.
  created_at timestamptz not null default clock_timestamp(),
  not_before timestamptz not null default now(),
  attempts integer not null default 0,
  lease_until timestamptz,
  maybe_sent boolean not null default false,
  sum_id uuid,
  error text,
  sent_at timestamptz,
  unique nulls not distinct (incident_id, alert_id, channel_id, what, occurrence)
);
alter table public.alert_notifications add column if not exists agent_key_id uuid;
comment on column public.alert_notifications.agent_key_id is 'The key of the result that it is about; null: not an agent''s';
comment on column public.alert_notifications.maybe_sent is 'A dispatcher died with it: it goes once more, whatever came since';
comment on column public.alert_notifications.sum_id is 'Sent in one message with this one: the channel had its share of the minute';
create index if not exists alert_notifications_waiting on public.alert_notifications (channel_id, not_before)
  where state = 'waiting';
create index if not exists alert_notifications_story on public.alert_notifications (incident_id, channel_id);
create index if not exists alert_notifications_sums on public.alert_notifications (sum_id) where sum_id is not null;
create index if not exists alert_notifications_sent on public.alert_notifications (channel_id, sent_at) where state = 'sent';

-- How many begins and escalations of a key a channel was notified of, in the hour that began with the first.
create table if not exists quartz_agent.key_told (
  key_id uuid not null,
  channel_id uuid not null references public.notification_channels (id) on delete cascade,
  since timestamptz not null,
  told integer not null,
  -- The message that says that others are held.
  sum_id uuid,
  primary key (key_id, channel_id)
);

alter table public.alert_notifications enable row level security;
do $$
begin
  if to_regprocedure('auth.uid()') is null or to_regrole('authenticated') is null then
    return;
  end if;
  execute 'drop policy if exists "Team members can view notifications" on public.alert_notifications';
  execute 'create policy "Team members can view notifications" on public.alert_notifications for select '
    'to authenticated using (public.has_any_role(auth.uid()))';
end $$;
