-- SPDX-License-Identifier: MIT
--
-- What the edge function dispatch-notifications takes from the queue and what became of it. For the service role only.
-- A message whose dispatcher died is sent once more when its lease ends: at least once, never lost. After tick.sql.

-- The text of a message, made when it is sent, with all alerts of its incident.
create or replace function quartz_agent.message_of(n public.alert_notifications) returns jsonb
language sql stable as $$
  with members as (
    select a.*, r.name as resource from public.incident_alerts l join public.alerts a on a.id = l.alert_id
    join public.resources r on r.id = a.resource_id where l.incident_id = n.incident_id
    order by a.resolved_at is not null, a.severity, a.triggered_at, a.id
  ), shown as (select * from members limit 10)
  select jsonb_build_object(
    'what', n.what,
    'title', case n.what when 'resolved' then 'Resolved: ' when 'reminder' then 'Still open: ' else 'Alert: ' end
      || coalesce((select s.resource from shown s limit 1), 'resource')
      || case when (select count(distinct m.resource_id) from members m) > 1
        then ' and ' || (select count(distinct m.resource_id) - 1 from members m) || ' more' else '' end,
    'message', coalesce((select string_agg(case when s.resolved_at is null then s.message
      else s.message || ' (' || coalesce(s.resolution, 'resolved') || ' at ' || to_char(s.resolved_at at time zone 'UTC', 'HH24:MI:SS') || ' UTC)' end, E'\n') from shown s), '')
      || case when (select count(*) from members) > 10 then E'\nand ' || (select count(*) - 10 from members) || ' more' else '' end,
    'severity', (select min(m.severity) from members m),
    'resourceName', (select s.resource from shown s limit 1),
    'triggered_at', (select min(m.triggered_at) from members m),
    'alert_ids', (select jsonb_agg(s.id) from shown s), 'incident_id', n.incident_id)
$$;

-- Whether a message counts among those that the results of one key may bring: its ends and reminders are of what was told.
create or replace function quartz_agent.is_limited(n public.alert_notifications) returns boolean language sql immutable as $$
  select n.agent_key_id is not null and n.what in ('opened', 'escalated') and n.attempts = 0
$$;

-- Counts what a channel is told of a key: so many in this hour.
create or replace function quartz_agent.count_told(key uuid, channel uuid, more integer) returns integer language sql as $$
  delete from quartz_agent.key_told k where k.key_id = key and k.channel_id = channel and k.since <= now() - interval '1 hour';
  insert into quartz_agent.key_told as k (key_id, channel_id, since, told) values (key, channel, now(), more)
  on conflict (key_id, channel_id) do update set told = k.told + more returning told
$$;

-- What is due of keys that had their share waits for the end of their hour: it goes then if it is still open.
create or replace function quartz_agent.hold_back() returns void language sql as $$
  update public.alert_notifications m set not_before = k.since + interval '1 hour', error = 'held: its agent key had its share of the hour'
  from quartz_agent.key_told k
  where m.agent_key_id = k.key_id and m.channel_id = k.channel_id and k.sum_id is not null and k.since > now() - interval '1 hour'
    and m.state = 'waiting' and m.not_before <= now() and quartz_agent.is_limited(m)
$$;

-- What the message that is the sum of a key's hour says of it; null: it is none.
create or replace function quartz_agent.words_of_hour(n public.alert_notifications) returns text language sql stable as $$
  select format('More than %s notifications of the agent key %s in an hour: %s are held until %s UTC, and what comes until then. See the app.', s.per_key,
    coalesce((select left(a.name, 60) from public.api_keys a where a.id = k.key_id), k.key_id::text),
    (select count(*) from public.alert_notifications m where m.agent_key_id = k.key_id and m.channel_id = k.channel_id
      and m.state = 'waiting' and m.not_before = k.since + interval '1 hour' and quartz_agent.is_limited(m)),
    to_char((k.since + interval '1 hour') at time zone 'UTC', 'HH24:MI:SS'))
  from quartz_agent.key_told k, quartz_agent.settings s where k.sum_id = n.id
$$;

-- At most thirty a channel and minute; what is beyond goes in one message with the last of them. Of one agent key, which may be
-- a stolen one, a channel is told at most sixty begins an hour, and in one more message that others are held.
create or replace function public.claim_notifications(p_limit integer default 20) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
declare
  n public.alert_notifications;
  channel public.notification_channels;
  share integer;
  folded integer;
  set_to quartz_agent.settings;
  claimed jsonb := '[]';
  text jsonb;
  words text;
begin
  -- Before the queue, as a batch and a cutover do: so there is no circle of those that wait.
  select * into set_to from quartz_agent.settings;
  perform quartz_agent.hold_incidents();
  -- What is over, or acknowledged while it was held back, is not worth a message any more; one of which nobody knows whether it
  -- was sent, since its dispatcher died, goes once more.
  update public.alert_notifications m set state = 'dropped', error = 'over or acknowledged before it was sent'
  where m.state = 'waiting' and m.not_before <= now() and m.what <> 'resolved'
    and m.lease_until is null and not m.maybe_sent
    and not exists (select from public.incident_alerts l join public.alerts a on a.id = l.alert_id
      where l.incident_id = m.incident_id and a.resolved_at is null and (m.what = 'escalated' or a.acknowledged_at is null));
  -- The end of what a channel was not told of is none.
  update public.alert_notifications m set state = 'dropped', error = 'its begin was not told'
  where m.state = 'waiting' and m.what = 'resolved' and m.lease_until is null and not m.maybe_sent
    and (select count(*) filter (where o.what = 'opened' and o.state in ('waiting', 'sent'))
      <= count(*) filter (where o.what = 'resolved' and o.state = 'sent')
      from public.alert_notifications o where o.incident_id = m.incident_id and o.channel_id = m.channel_id);
  update public.alert_notifications m set state = 'failed', lease_until = null
  where m.state = 'waiting' and m.created_at < now() - interval '1 day' and m.attempts > 0 and coalesce(m.lease_until, '-infinity') <= now();
  perform quartz_agent.hold_back();
  for n in
    select * from public.alert_notifications m
    where m.state = 'waiting' and m.not_before <= now() and coalesce(m.lease_until, '-infinity') <= now()
      -- A channel hears of an incident in its order.
      and not exists (select from public.alert_notifications o where o.incident_id = m.incident_id
        and o.channel_id = m.channel_id and o.state = 'waiting' and o.created_at < m.created_at)
    order by m.not_before, m.created_at, m.id limit least(greatest(p_limit, 1), 100) for update skip locked
  loop
    -- It may have become part of a sum, or have been held, within this loop.
    continue when exists (select from public.alert_notifications m where m.id = n.id and (m.lease_until > now() or m.not_before > now()));
    select * into channel from public.notification_channels c where c.id = n.channel_id;
    if not channel.is_enabled then
      update public.alert_notifications m set state = 'dropped', error = 'the channel is disabled' where m.id = n.id;
      continue;
    end if;
    select count(*) into share from public.alert_notifications m
    where m.channel_id = n.channel_id and m.sum_id is null
      and (m.state = 'sent' and m.sent_at > now() - interval '1 minute' or m.state = 'waiting' and m.lease_until > now());
    continue when share >= 30;
    folded := 0;
    update public.alert_notifications m set lease_until = now() + interval '60 seconds', attempts = m.attempts + 1, sum_id = null,
      error = null, maybe_sent = m.maybe_sent or m.lease_until is not null
    where m.id = n.id;
    if quartz_agent.is_limited(n) and quartz_agent.count_told(n.agent_key_id, n.channel_id, 1) > set_to.per_key then
      update quartz_agent.key_told k set sum_id = n.id where k.key_id = n.agent_key_id and k.channel_id = n.channel_id;
      perform quartz_agent.hold_back();
    end if;
    -- What an earlier claim of it had summed up is on its own again.
    update public.alert_notifications m set sum_id = null where m.sum_id = n.id and m.state = 'waiting';
    if share = 29 then
      update public.alert_notifications m set sum_id = n.id, lease_until = now() + interval '60 seconds', attempts = m.attempts + 1,
        error = null, maybe_sent = m.maybe_sent or m.lease_until is not null
      where m.channel_id = n.channel_id and m.id <> n.id and m.state = 'waiting' and m.not_before <= now()
        and coalesce(m.lease_until, '-infinity') <= now()
        and not exists (select from public.alert_notifications o where o.incident_id = m.incident_id
          and o.channel_id = m.channel_id and o.state = 'waiting' and o.created_at < m.created_at)
        -- A sum tells of no more than a key has left of its hour.
        and (not quartz_agent.is_limited(m) or m.id in (
          select q.id from (
            select l.id, row_number() over (partition by l.agent_key_id order by l.not_before, l.created_at, l.id) + coalesce(k.told, 0) as number
            from public.alert_notifications l left join quartz_agent.key_told k on k.key_id = l.agent_key_id
              and k.channel_id = l.channel_id and k.since > now() - interval '1 hour'
            where l.channel_id = n.channel_id and l.state = 'waiting' and l.not_before <= now() and quartz_agent.is_limited(l)) q
          where q.number <= set_to.per_key));
      get diagnostics folded = row_count;
      perform quartz_agent.count_told(q.agent_key_id, n.channel_id, q.count::integer) from (
        select m.agent_key_id, count(*) from public.alert_notifications m
        where m.sum_id = n.id and m.agent_key_id is not null and m.what in ('opened', 'escalated') and m.attempts = 1 group by 1) q;
    end if;
    text := quartz_agent.message_of(n);
    words := quartz_agent.words_of_hour(n);
    if words is not null then
      text := text || jsonb_build_object('title', text ->> 'title' || ', and more', 'message', left(text ->> 'message', 2000) || E'\n' || words);
    end if;
    if folded > 0 then
      text := text || jsonb_build_object('title', text ->> 'title' || ', and ' || folded || ' more messages',
        'message', left(text ->> 'message', 2000) || E'\n' || folded || ' more messages about other incidents: see the app');
    end if;
    claimed := claimed || jsonb_build_object('id', n.id, 'attempt', n.attempts + 1, 'channel', jsonb_build_object(
      'id', channel.id, 'type', channel.channel_type, 'configuration', channel.configuration), 'alert', text);
  end loop;
  return claimed;
end $$;

-- What became of a message: sent, or to be tried again after 5 s, 10 s, … 10 min for a day. Settled twice, the first counts.
create or replace function public.settle_notification(p_id uuid, p_ok boolean, p_error text default null) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update public.alert_notifications n set
    state = case when p_ok then 'sent' when n.created_at < now() - interval '1 day' then 'failed' else 'waiting' end,
    sent_at = case when p_ok then now() end,
    error = case when not coalesce(p_ok, false) then left(coalesce(p_error, 'no reason given'), 200) end,
    lease_until = null,
    sum_id = case when p_ok then n.sum_id end,
    not_before = case when p_ok then n.not_before
      else now() + least(interval '5 seconds' * 2 ^ least(greatest(n.attempts - 1, 0), 10), interval '10 minutes') end
  where (n.id = p_id or n.sum_id = p_id and n.lease_until is not null) and n.state = 'waiting'
$$;

-- Whether the caller may try a channel out: those who may change channels.
create or replace function public.may_send_notifications() returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(public.has_role(auth.uid(), 'admin'), false);
end $$;
