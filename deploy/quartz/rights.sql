-- SPDX-License-Identifier: MIT
--
-- Who may call what, and the job of pg_cron. Last of the files that install.sql names.

do $$
declare
  role text;
  roles text[] := array(select r from unnest('{anon,authenticated,service_role}'::text[]) r where to_regrole(r) is not null);
  -- What the edge functions call with the service role, after they have judged the caller.
  service text := 'public.claim_notifications(integer), public.settle_notification(uuid, boolean, text), '
    'public.agent_config(uuid, bigint), public.app_dashboard(), public.app_alerts(text, text, integer, integer), '
    'public.app_alert(uuid, text), public.app_checks(uuid, integer, integer), public.app_results(uuid, integer), '
    'public.app_rules(uuid, integer), public.app_me(uuid), public.app_ask(uuid, uuid), public.app_asked(uuid, uuid)';
  -- What a member's own token may call; these judge it.
  member text := 'public.ask_checks(uuid, uuid), public.asks_state(jsonb), public.may_send_notifications()';
begin
  -- PostgreSQL lets everybody call each new function, and Supabase anon and authenticated use all that is new in public.
  foreach role in array array_append(roles, 'public') loop
    role := case role when 'public' then role else quote_ident(role) end;
    execute format('revoke all on function %s, %s from %s', service, member, role);
    execute format('revoke all on public.alert_notifications, public.check_asks from %s', role);
    execute format('revoke all on all functions in schema quartz_agent from %s', role);
    execute format('revoke all on all procedures in schema quartz_agent from %s', role);
    execute format('revoke all on all tables in schema quartz_agent from %s', role);
    execute format('revoke all on all sequences in schema quartz_agent from %s', role);
    execute format('revoke all on schema quartz_agent from %s', role);
  end loop;
  if 'service_role' = any (roles) then
    execute format('grant execute on function %s to service_role', service);
  end if;
  if 'authenticated' = any (roles) then
    execute format('grant execute on function %s to authenticated', member);
    execute 'grant select on public.alert_notifications, public.check_asks to authenticated';
  end if;
  if to_regclass('cron.job') is not null then
    execute $job$select cron.schedule('quartz-agent-tick', '* * * * *', 'call quartz_agent.run_tick()')$job$;
  end if;
end $$;
