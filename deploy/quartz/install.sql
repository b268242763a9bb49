-- SPDX-License-Identifier: MIT
--
-- All of this folder, in the order of what depends on what; runs again without harm:
--   psql "$DATABASE_URL" --single-transaction -v ON_ERROR_STOP=1 -f deploy/quartz/install.sql
-- Begins in shadow: nothing is opened and nothing sent until select quartz_agent.cutover().

set local client_min_messages = warning;
\ir ingest.sql
\ir alerts.sql
\ir evaluate.sql
\ir incidents.sql
\ir judge.sql
\ir rebuild.sql
\ir tick.sql
\ir dispatch.sql
\ir move.sql
\ir asks.sql
\ir changes.sql
\ir fleet.sql
\ir app-compat.sql
\ir rights.sql
