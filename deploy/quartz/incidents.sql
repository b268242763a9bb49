-- SPDX-License-Identifier: MIT
--
-- Alerts are opened and resolved, join incidents, and put messages into the queue. After evaluate.sql.

create or replace function quartz_agent.mode() returns text language sql stable as $$
  select s.alerts from quartz_agent.settings s
$$;

-- The host that a check goes to; null: none.
create or replace function quartz_agent.host_of(c public.monitoring_checks) returns text language sql immutable as $$
  select lower(nullif(case when c.check_type::text in ('http', 'keyword', 'ssl')
    then substring(c.url from '^[A-Za-z]+://(?:[^/@?#]*@)?(\[[^]]+\]|[^:/?#]+)')
    when c.check_type::text in ('port', 'ping') then c.ip_address end, ''))
$$;

-- Until when a rule keeps quiet, and in which words; null: it does not. An unknown zone has no quiet hours.
create or replace function quartz_agent.quiet(q public.alert_rules, at timestamptz, out ends timestamptz, out words text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  zone text := coalesce(q.quiet_hours_timezone, 'UTC');
  here timestamp;
  last date;
begin
  if not coalesce(q.quiet_hours_enabled, false) or q.quiet_hours_start is null or q.quiet_hours_end is null then
    return;
  end if;
  here := at at time zone zone;
  if cardinality(q.quiet_hours_days) > 0
    and not to_char(here, 'FMday') = any (q.quiet_hours_days) then
    return;
  end if;
  if q.quiet_hours_start <= q.quiet_hours_end then
    if here::time < q.quiet_hours_start or here::time >= q.quiet_hours_end then
      return;
    end if;
    last := here::date;
  elsif here::time >= q.quiet_hours_start then
    last := here::date + 1;
  elsif here::time < q.quiet_hours_end then
    last := here::date;
  else
    return;
  end if;
  ends := (last + q.quiet_hours_end) at time zone zone;
  words := format('Quiet hours active (%s-%s %s)', to_char(q.quiet_hours_start, 'HH24:MI'),
    to_char(q.quiet_hours_end, 'HH24:MI'), zone);
exception when invalid_parameter_value then
  return;
end $$;

-- All rules that hold keep quiet: until when the first of them does. One that does not, or no rule at all: null.
create or replace function quartz_agent.quiet_of(rules uuid[], at timestamptz, out ends timestamptz, out words text)
language sql stable as $$
  select case when bool_and(k.ends is not null) then min(k.ends) end,
    case when bool_and(k.ends is not null) then min(k.words) end
  from public.alert_rules q cross join lateral quartz_agent.quiet(q, at) k where q.id = any (rules)
$$;

-- The channels of a resource: those linked to any rule of it, else all; enabled ones only.
create or replace function quartz_agent.channels_of(resource uuid) returns setof uuid language sql stable as $$
  with linked as (
    select distinct n.id from quartz_agent.rules_of(resource) q
    join public.alert_notification_channels l on l.alert_rule_id = q.id
    join public.notification_channels n on n.id = l.notification_channel_id where n.is_enabled
  )
  select l.id from linked l union all
  select n.id from public.notification_channels n where n.is_enabled and not exists (select from linked) order by 1
$$;

-- Only one transaction at a time changes incidents and the queue. Taken after every row that it may wait for.
create or replace function quartz_agent.hold_incidents() returns void language sql as $$
  select pg_advisory_xact_lock(711420, 1)
$$;

-- Whose result a row is; null: no agent's.
create or replace function quartz_agent.key_of(row_id uuid) returns uuid language sql stable as $$
  select r.agent_key_id from public.check_results r where r.id = row_id
$$;

drop function if exists quartz_agent.enqueue(uuid, public.alerts, text, timestamptz);
drop function if exists quartz_agent.announce(uuid, text, uuid[], text);

-- Queues a message of an incident for each channel. 'opened' where the channel knows of nothing open; where one waits already,
-- that one says all of it. 'reopened' tells only who was told of the end.
create or replace function quartz_agent.enqueue(incident uuid, alert public.alerts, word text, hold timestamptz, key uuid)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  channel uuid;
  opened integer;
  resolved integer;
  kind text;
  due timestamptz;
begin
  perform quartz_agent.hold_incidents();
  for channel in select * from quartz_agent.channels_of(alert.resource_id) loop
    -- An end that was not sent is none, nor is the begin after it.
    with ends as (
      update public.alert_notifications n set state = 'dropped', error = 'it came back'
      where n.incident_id = incident and n.channel_id = channel and n.what = 'resolved' and n.state = 'waiting'
        and n.lease_until is null and not n.maybe_sent
      returning n.created_at
    )
    update public.alert_notifications n set state = 'dropped', error = 'it came back'
    where n.incident_id = incident and n.channel_id = channel and n.what = 'opened' and n.state = 'waiting'
      and n.lease_until is null and not n.maybe_sent and n.created_at >= (select min(e.created_at) from ends e);
    select count(*) filter (where n.what = 'opened'), count(*) filter (where n.what = 'resolved') into opened, resolved
    from public.alert_notifications n
    where n.incident_id = incident and n.channel_id = channel and n.state in ('waiting', 'sent');
    kind := case when opened <= resolved then 'opened' when word <> 'reopened' then 'escalated' end;
    continue when kind is null;
    due := greatest(now() + case when word = 'escalated' then interval '0' else interval '20 seconds' end, hold);
    update public.alert_notifications n set not_before = least(n.not_before, due)
    where n.incident_id = incident and n.channel_id = channel and n.what in ('opened', 'escalated')
      and n.state = 'waiting' and coalesce(n.lease_until, '-infinity') <= now();
    continue when found;
    insert into public.alert_notifications (incident_id, alert_id, channel_id, what, occurrence, not_before, agent_key_id)
    select incident, alert.id, channel, kind, count(*) + 1, due, key from public.alert_notifications n
    where n.incident_id = incident and n.channel_id = channel and n.what = kind;
  end loop;
end $$;

-- The incident that an open alert belongs to: its own, an open one of its resource, its host or of a storm at its place, or a
-- new one.
create or replace function quartz_agent.incident_of(alert public.alerts, title text) returns uuid
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  mine quartz_agent.alarm;
  incident uuid;
  is_storm boolean;
begin
  perform quartz_agent.hold_incidents();
  select i.id into incident from public.incident_alerts l join public.incidents i on i.id = l.incident_id
  where l.alert_id = alert.id and i.incident_key is not null order by i.created_at desc limit 1;
  if found then
    -- It came back: what the machine closed is open again, what a person closed stays so.
    update public.incidents i set status = 'open', resolved_at = null
    where i.id = incident and i.status = 'resolved' and i.resolved_by is null;
    if exists (select from public.incidents i where i.id = incident and i.status <> 'resolved') then
      return incident;
    end if;
  end if;
  select * into mine from quartz_agent.alarm a
  where a.check_id = alert.monitoring_check_id and a.kind = split_part(alert.alert_key, '/', 2);
  is_storm := mine.kind = 'availability' and (select count(*) from quartz_agent.alarm s
    where s.is_on and s.place = mine.place and s.kind = 'availability' and s.on_at >= mine.on_at - interval '2 minutes') >= 10;
  select i.id into incident
  from (
    select al.id, 1 as nearness from public.alerts al where al.resource_id = alert.resource_id and al.alert_key is not null
    union all
    select a.alert_id, 2 from quartz_agent.alarm a where a.host = mine.host
    union all
    (select a.alert_id, 3 from quartz_agent.alarm a
      where is_storm and a.is_on and a.place = mine.place and a.kind = 'availability' and a.on_at >= mine.on_at - interval '2 minutes'
      order by a.on_at, a.check_id limit 20)
  ) near
  join public.alerts al on al.id = near.id and (al.resolved_at is null or al.resolved_at > now() - interval '10 minutes')
  join public.incident_alerts l on l.alert_id = al.id
  join public.incidents i on i.id = l.incident_id and i.incident_key is not null and i.status <> 'resolved'
  order by near.nearness, i.started_at, i.id limit 1;
  if not found then
    insert into public.incidents (title, severity, status, started_at, created_at, incident_key)
    values (title, alert.severity, 'open', coalesce(alert.first_failed_at, alert.triggered_at),
      coalesce(alert.first_failed_at, alert.triggered_at), alert.id)
    on conflict (incident_key) where status <> 'resolved' and incident_key is not null do nothing returning id into incident;
    if incident is null then
      select i.id into incident from public.incidents i where i.incident_key = alert.id::text and i.status <> 'resolved';
    end if;
  end if;
  insert into public.incident_alerts (incident_id, alert_id) values (incident, alert.id) on conflict do nothing;
  return incident;
end $$;

-- Puts an alert that is open into its incident and tells of it, held back while all its rules keep quiet.
create or replace function quartz_agent.announce(id uuid, word text, rules uuid[], kind text, key uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  alert public.alerts;
  incident uuid;
  hush record;
begin
  select * into hush from quartz_agent.quiet_of(rules, now());
  update public.alerts a set notification_suppressed = hush.ends is not null, suppression_reason = hush.words
  where a.id = announce.id and (word = 'opened' or a.notification_suppressed and hush.ends is null);
  select * into alert from public.alerts a where a.id = announce.id;
  incident := quartz_agent.incident_of(alert,
    coalesce((select r.name from public.resources r where r.id = alert.resource_id), 'resource') || ': ' || kind);
  update public.incidents i set severity = alert.severity where i.id = incident and alert.severity < i.severity;
  perform quartz_agent.enqueue(incident, alert, word, hush.ends, key);
end $$;

-- Opens an alert under a key, its times in whole seconds, as the apps read them; where one is open already under it, that one is taken.
create or replace function quartz_agent.open_alert(row_id uuid, key text, resource uuid, check_id uuid, rule uuid,
  grade public.alert_severity, words text, at timestamptz, since timestamptz) returns uuid
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  id uuid := md5(key || '/' || row_id)::uuid;
begin
  insert into public.alerts (id, resource_id, alert_rule_id, severity, message, triggered_at, first_failed_at,
    monitoring_check_id, alert_key)
  values (id, resource, rule, grade, words, date_trunc('second', at), date_trunc('second', since), check_id, key) on conflict do nothing;
  if not found then
    select a.id into id from public.alerts a where a.alert_key = key and a.resolved_at is null;
    if id is null then
      -- The row opened an alert before, which is over: this is another one.
      return quartz_agent.open_alert(gen_random_uuid(), key, resource, check_id, rule, grade, words, at, since);
    end if;
  end if;
  return id;
end $$;

-- One turning of an alarm, in the mode that is set. The caller holds the lock of the check's row.
create or replace function quartz_agent.turn(c public.monitoring_checks, t quartz_agent.turning) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  a quartz_agent.alarm;
  al public.alerts;
  key text := c.id || '/' || t.kind;
  set_to quartz_agent.settings;
  reopened boolean;
begin
  select * into set_to from quartz_agent.settings;
  if set_to.alerts = 'on' then
    perform quartz_agent.hold_incidents();
  end if;
  select * into a from quartz_agent.alarm x where x.check_id = c.id and x.kind = t.kind;
  select * into al from public.alerts x where x.id = a.alert_id;
  if set_to.alerts = 'shadow' then
    insert into quartz_agent.shadow_log (check_id, kind, what, at, severity, message)
    values (c.id, t.kind, t.what, t.at, t.severity, t.message);
  end if;
  if t.what = 'on' then
    reopened := coalesce(a.ended = 'recovered' and t.at <= a.off_at + set_to.reopen
      and (set_to.alerts = 'shadow' or al.resolution = 'recovered'), false);
    insert into quartz_agent.alarm as k (check_id, kind, is_on, alert_id, rules, severity, message, on_at, since, row_id, place, host)
    values (c.id, t.kind, true, case when reopened then a.alert_id end, t.rules, t.severity, t.message,
      case when reopened then a.on_at else t.at end, case when reopened then a.since else t.since end,
      case when reopened then a.row_id else t.row_id end, t.place, quartz_agent.host_of(c))
    on conflict (check_id, kind) do update set is_on = true, alert_id = excluded.alert_id, rules = excluded.rules,
      severity = excluded.severity, message = excluded.message, on_at = excluded.on_at, since = excluded.since,
      off_at = null, ended = null, row_id = excluded.row_id, place = excluded.place, host = excluded.host;
    if set_to.alerts <> 'on' then
      return;
    end if;
    if reopened and a.alert_id is not null then
      update public.alerts x set resolved_at = null, resolution = null, occurrences = x.occurrences + 1
      where x.id = a.alert_id and not exists (
        select from public.alerts o where o.alert_key = key and o.resolved_at is null);
      perform quartz_agent.announce(a.alert_id, 'reopened', t.rules, t.kind, quartz_agent.key_of(t.row_id));
      return;
    end if;
    a.alert_id := quartz_agent.open_alert(t.row_id, key, c.resource_id, c.id, t.rules[1], t.severity, t.message, t.at, t.since);
    update quartz_agent.alarm x set alert_id = a.alert_id where x.check_id = c.id and x.kind = t.kind;
    perform quartz_agent.announce(a.alert_id, 'opened', t.rules, t.kind, quartz_agent.key_of(t.row_id));
  elsif t.what = 'more' then
    update quartz_agent.alarm x set severity = least(x.severity, t.severity), message = t.message,
      rules = array(select distinct u from unnest(x.rules || t.rules) u)
    where x.check_id = c.id and x.kind = t.kind;
    if set_to.alerts = 'on' and al.resolved_at is null and al.id is not null then
      update public.alerts x set severity = least(x.severity, t.severity), message = t.message,
        alert_rule_id = coalesce((select u from unnest(t.rules) u where not u = any (a.rules) limit 1), x.alert_rule_id)
      where x.id = al.id;
      perform quartz_agent.announce(al.id, 'escalated', a.rules || t.rules, t.kind, quartz_agent.key_of(t.row_id));
    end if;
  elsif t.what = 'off' then
    update quartz_agent.alarm x set is_on = false, off_at = t.at, ended = t.ended, rules = '{}'
    where x.check_id = c.id and x.kind = t.kind;
    if set_to.alerts = 'on' then
      update public.alerts x set resolved_at = greatest(date_trunc('second', t.at), x.triggered_at), resolution = t.ended
      where x.id = al.id and x.resolved_at is null;
    end if;
  end if;
end $$;

-- An alarm that is on while its alert is not open: one resolved by hand stays so for a day, one that nobody ran comes back.
create or replace function quartz_agent.insist(c public.monitoring_checks, at timestamptz, row_id uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  x record;
  id uuid;
begin
  for x in
    select a.*, al.resolution, al.resolved_at from quartz_agent.alarm a join public.alerts al on al.id = a.alert_id
    where a.check_id = c.id and a.is_on and al.resolved_at is not null
      and (al.resolution = 'no agent runs it' or at > al.resolved_at + interval '24 hours')
  loop
    id := quartz_agent.open_alert(row_id, c.id || '/' || x.kind, c.resource_id, c.id, x.rules[1], x.severity, x.message, at, x.since);
    update quartz_agent.alarm a set alert_id = id where a.check_id = c.id and a.kind = x.kind;
    perform quartz_agent.announce(id, 'opened', x.rules, x.kind, quartz_agent.key_of(row_id));
  end loop;
end $$;
