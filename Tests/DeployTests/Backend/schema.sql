-- SPDX-License-Identifier: MIT
--
-- The tables of the Quartz backend that results touch, as they are before deploy/quartz/ingest.sql, with the roles
-- and functions of a Supabase project that it refers to.

create role anon nologin;
create role authenticated nologin;
create role service_role nologin bypassrls;
-- A hosted project's defaults.
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to anon, authenticated, service_role;

create schema auth;
create table auth.users (id uuid primary key default gen_random_uuid());
create function auth.uid() returns uuid language sql stable as $$
  select nullif(current_setting('request.jwt.claim.sub', true), '')::uuid
$$;
grant usage on schema auth to authenticated;

create type public.app_role as enum ('admin', 'editor', 'viewer');
create type public.resource_status as enum ('up', 'down', 'degraded', 'unknown');
create type public.check_type as enum
  ('http', 'ping', 'port', 'ssl', 'keyword', 'heartbeat', 'azure_metric', 'azure_health');
create type public.check_result_status as enum ('success', 'failure', 'timeout');

create table public.profiles (
  id uuid primary key references auth.users on delete cascade, full_name text, avatar_url text,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create table public.user_roles (
  id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users, role app_role not null);
create function public.has_role(_user_id uuid, _role app_role) returns boolean
language sql stable security definer set search_path = public as $$
  select exists (select 1 from user_roles where user_id = _user_id and role = _role)
$$;
create function public.has_any_role(_user_id uuid) returns boolean
language sql stable security definer set search_path = public as $$
  select exists (select 1 from user_roles where user_id = _user_id)
$$;

create table public.resources (
  id uuid primary key default gen_random_uuid(),
  name text not null, description text, resource_type text not null,
  client_id uuid, environment_id uuid, is_standalone boolean not null default false,
  status resource_status not null default 'unknown', last_checked_at timestamptz,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  azure_resource_id uuid);

create table public.monitoring_checks (
  id uuid primary key default gen_random_uuid(),
  resource_id uuid not null references public.resources on delete cascade,
  check_type check_type not null, url text, ip_address text, port integer,
  expected_status_code integer default 200, check_interval_seconds integer not null default 60,
  timeout_seconds integer not null default 30, is_enabled boolean not null default true,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  keyword_value text, keyword_type text check (keyword_type in ('contains', 'not_contains')),
  http_method text default 'GET', http_auth_type text check (http_auth_type in ('none', 'basic', 'bearer')),
  http_auth_credentials jsonb, custom_headers jsonb,
  failure_threshold integer default 1, current_failure_count integer default 0,
  heartbeat_interval_seconds integer, last_heartbeat_at timestamptz, heartbeat_token uuid default gen_random_uuid(),
  retry_count integer default 3, retry_delay_ms integer default 2000, confirmation_delay_ms integer default 5000);

create table public.check_results (
  id uuid primary key default gen_random_uuid(),
  monitoring_check_id uuid not null references public.monitoring_checks on delete cascade,
  status check_result_status not null, response_time_ms integer, status_code integer, error_message text,
  ssl_expiry_date timestamptz, checked_at timestamptz not null default now(), ssl_days_remaining integer);
create index idx_check_results_checked_at on public.check_results (monitoring_check_id, checked_at desc);

create table public.maintenance_windows (
  id uuid primary key default gen_random_uuid(),
  resource_id uuid not null references public.resources on delete cascade,
  title text not null, description text, starts_at timestamptz not null, ends_at timestamptz not null,
  is_recurring boolean default false, recurrence_pattern text check (recurrence_pattern in ('daily', 'weekly', 'monthly')),
  created_by uuid, created_at timestamptz default now(), updated_at timestamptz default now());

create table public.api_keys (
  id uuid primary key default gen_random_uuid(), name text not null, key_hash text not null,
  key_prefix text not null, is_enabled boolean default true, expires_at timestamptz,
  created_at timestamptz default now(), last_used_at timestamptz, created_by uuid, request_count bigint default 0);

create function public.update_updated_at_column() returns trigger language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end $$;
create trigger update_resources_updated_at before update on public.resources
  for each row execute function public.update_updated_at_column();
create trigger update_monitoring_checks_updated_at before update on public.monitoring_checks
  for each row execute function public.update_updated_at_column();

alter table public.resources enable row level security;
alter table public.monitoring_checks enable row level security;
alter table public.check_results enable row level security;
alter table public.api_keys enable row level security;
create policy "Team members can insert results" on public.check_results
  for insert to authenticated with check (public.has_any_role(auth.uid()));
create policy "Team members can view results" on public.check_results
  for select to authenticated using (public.has_any_role(auth.uid()));
