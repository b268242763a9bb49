-- SPDX-License-Identifier: MIT
--
-- Takes the alerts of the apps away; the route for results, and every result, stays as ingest.sql has it:
--   psql "$DATABASE_URL" --single-transaction -v ON_ERROR_STOP=1 -f deploy/quartz/uninstall.sql
-- Open alerts end in silence, the backend's runner runs again, and alerts of the past stay with their columns. Takes what an earlier
-- version installed away as well, so each thing may be missing.

set local client_min_messages = warning;
select quartz_agent.rollback();
do $$
declare
  name text;
begin
  if to_regclass('cron.job') is not null then
    execute $job$select cron.unschedule(jobid) from cron.job where jobname in ('quartz-agent-tick', 'quartz-agent-dispatch')$job$;
  end if;
  foreach name in array array['monitoring_checks', 'maintenance_windows', 'check_confirmations', 'agent_key_scopes', 'alerts'] loop
    execute format('drop trigger if exists quartz_agent_change on public.%I', name);
  end loop;
end $$;
drop view if exists public.monitoring_agents_health;
drop schema quartz_agent cascade;
drop function if exists public.claim_notifications(integer), public.settle_notification(uuid, boolean, text),
  public.ask_checks(uuid, uuid), public.asks_state(jsonb), public.agent_config(uuid, bigint),
  public.may_send_notifications(),
  public.app_dashboard(), public.app_alerts(text, text, integer, integer), public.app_alert(uuid, text),
  public.app_checks(uuid, integer, integer), public.app_results(uuid, integer), public.app_rules(uuid, integer), public.app_me(uuid),
  public.app_ask(uuid, uuid), public.app_asked(uuid, uuid);
drop table if exists public.alert_notifications, public.check_asks;
drop index if exists public.alerts_one_open, public.alerts_by_key, public.alerts_by_resource, public.incidents_one_open, public.incident_alerts_by_alert;
\ir ingest.sql
