// SPDX-License-Identifier: MIT
//
// What the published iOS app asks and the edge function `public-api` does not answer, on top of app-compat.sql. It imports
// nothing; README.md beside it shows the lines that call it.

/** What is needed of a Supabase client with the service role. */
export interface AppDatabase {
  rpc(name: string, args: Record<string, unknown>): PromiseLike<{ data: unknown; error: { code?: string; message: string } | null }>;
}

/** The parts of a path, as parseRoute gives them. */
export interface AppRoute { entity: string; id?: string | undefined; action?: string | undefined }

/** A call of the database, and the list that it answers, or one thing. */
interface Call { name: string; args: Record<string, unknown>; form: 'list' | 'rows' | 'first' | 'one' | 'ask' }

interface Asked { asks: string[]; no_agent: string[]; not_run_by_agents: string[] }

const HEADERS = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/json' };

/**
 * Answers a request of the app, or null for what the backend answers itself. For keys that are no agent's.
 *
 * @param keyId the id that `validate_api_key` gave for the request's key.
 */
export async function handleApp(
  method: string, route: AppRoute, params: URLSearchParams, database: AppDatabase, keyId: string,
): Promise<Response | null> {
  const call = callOf(method, route, params, keyId);
  if (call === null) return null;
  // An id, or a filter, that no row has.
  for (const name of ['p_id', 'p_check', 'p_resource']) {
    if ((call.args[name] ?? null) !== null && !isId(call.args[name])) {
      return call.form === 'list' ? answer([], { total: 0 }) : missing();
    }
  }
  const { data, error } = await database.rpc(call.name, call.args);
  if (error) return failed(error);
  switch (call.form) {
    case 'list': {
      const { rows, total } = data as { rows: unknown[]; total: number };
      return answer(rows, { total, limit: call.args.p_limit ?? null, offset: call.args.p_offset ?? null });
    }
    case 'rows': return data === null ? missing() : answer(data, { total: (data as unknown[]).length });
    case 'first': return (data as unknown[]).length === 0 ? missing() : answer((data as unknown[])[0]);
    case 'one': return data === null ? missing() : answer(data);
    case 'ask': return data === null ? missing() : asked(data as Asked);
  }
}

function callOf(method: string, { entity, id, action }: AppRoute, params: URLSearchParams, keyId: string): Call | null {
  const path = `${method} ${entity}${id === undefined ? '' : '/:id'}${action === undefined ? '' : `/${action}`}`;
  const page = (most: number) => ({ p_limit: whole(params, 'limit') ?? most, p_offset: whole(params, 'offset') ?? 0 });
  if (method === 'GET' && entity === 'dashboard' && id === 'summary') return { name: 'app_dashboard', args: {}, form: 'one' };
  switch (path) {
    case 'GET me': return { name: 'app_me', args: { p_key_id: keyId }, form: 'one' };
    case 'GET alerts':
      if (!hasOnly(params, ['severity', 'status', 'limit', 'offset'])) return null;
      return { name: 'app_alerts', form: 'list',
        args: { p_severity: params.get('severity'), p_status: params.get('status'), ...page(50) } };
    case 'GET alerts/:id': return { name: 'app_alert', args: { p_id: id }, form: 'one' };
    case 'PUT alerts/:id/acknowledge': case 'PUT alerts/:id/resolve':
      return { name: 'app_alert', args: { p_id: id, p_action: action }, form: 'one' };
    case 'GET monitoring-checks':
      if (!hasOnly(params, ['resource_id', 'limit', 'offset'])) return null;
      return { name: 'app_checks', args: { p_resource: params.get('resource_id'), ...page(500) }, form: 'list' };
    case 'GET monitoring-checks/:id/results':
      return { name: 'app_results', args: { p_check: id, p_limit: whole(params, 'limit') ?? 100 }, form: 'rows' };
    case 'POST monitoring-checks/:id/run': return { name: 'app_ask', args: { p_key_id: keyId, p_check: id }, form: 'ask' };
    case 'GET asks/:id': return { name: 'app_asked', args: { p_key_id: keyId, p_id: id }, form: 'one' };
    case 'GET alert-rules': return hasOnly(params, []) ? { name: 'app_rules', args: {}, form: 'rows' } : null;
    case 'GET alert-rules/:id': return { name: 'app_rules', args: { p_id: id }, form: 'first' };
    default: return null;
  }
}

/** Whether a request has no other parameters: with others it is not the app's. */
function hasOnly(params: URLSearchParams, names: string[]): boolean {
  let isSo = true;
  params.forEach((_, name) => {
    isSo &&= names.includes(name);
  });
  return isSo;
}

function whole(params: URLSearchParams, name: string): number | null {
  const word = params.get(name);
  return word !== null && /^\d{1,9}$/.test(word) ? Number(word) : null;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

function answer(data: unknown, meta?: Record<string, unknown>, status = 200): Response {
  return new Response(JSON.stringify({ success: true, data, ...(meta && { meta }) }), { status, headers: HEADERS });
}

/** What became of an ask for one check. */
function asked({ asks, no_agent, not_run_by_agents }: Asked): Response {
  if (asks[0] !== undefined) return answer({ ask_id: asks[0] }, undefined, 202);
  if (no_agent.length > 0) return refuse(504, 'NO_AGENT', 'No agent that may run this was heard of for 90 s; see the list of agents');
  if (not_run_by_agents.length > 0) return refuse(422, 'NOT_RUN_BY_AGENTS', 'Heartbeats and Azure checks are not run by agents');
  return refuse(409, 'DISABLED', 'The check is disabled');
}

function refuse(status: number, code: string, message: string): Response {
  return new Response(JSON.stringify({ success: false, error: { code, message } }), { status, headers: HEADERS });
}

function missing(): Response {
  return refuse(404, 'NOT_FOUND', 'There is no such row');
}

function failed(error: { code?: string; message: string }): Response {
  if (error.code === '53400') return refuse(429, 'RATE_LIMITED', error.message);
  console.error(`database: ${error.code ?? ''} ${error.message}`);
  return /^(08|40|53|55P03|57|PGRST00)/.test(error.code ?? '')
    ? refuse(503, 'UNAVAILABLE', 'The database is busy') : refuse(500, 'INTERNAL_ERROR', 'The database refused the request');
}
