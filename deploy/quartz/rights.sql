-- SPDX-License-Identifier: MIT
--
-- Who may call what, and the job of pg_cron. Last of the files that install.sql names.

-- Supabase lets anon and authenticated use what is new in public by default, and PostgreSQL everybody each new function.
revoke all on all functions in schema quartz_agent from public;
revoke all on all procedures in schema quartz_agent from public;
revoke all on all tables in schema quartz_agent from public;
revoke all on function public.claim_notifications(integer), public.settle_notification(uuid, boolean, text) from public;

do $$
declare
  role text;
begin
  foreach role in array array['anon', 'authenticated', 'service_role'] loop
    continue when to_regrole(role) is null;
    execute format('revoke all on function public.claim_notifications(integer), '
      'public.settle_notification(uuid, boolean, text) from %I', role);
    execute format('revoke insert, update, delete, truncate, references, trigger on public.alert_notifications from %I', role);
  end loop;
  if to_regrole('anon') is not null then
    execute 'revoke all on public.alert_notifications from anon';
  end if;
  if to_regrole('service_role') is not null then
    execute 'grant execute on function public.claim_notifications(integer), '
      'public.settle_notification(uuid, boolean, text) to service_role';
  end if;
  if to_regclass('cron.job') is not null then
    execute $job$select cron.schedule('quartz-agent-tick', '* * * * *', 'call quartz_agent.run_tick()')$job$;
  end if;
end $$;
