// SPDX-License-Identifier: MIT
//
// The routes that quartz-agent needs of the edge function `public-api`, on top of ingest.sql. It imports nothing, so
// it runs in Deno as it is; README.md beside it shows the few lines that call it.

/** What a database error says, in PostgREST's form. */
export interface DatabaseError {
  code?: string;
  message: string;
  details?: string | null;
  hint?: string | null;
}

/** What is needed of a Supabase client with the service role. */
export interface Database {
  rpc(name: string, args: Record<string, unknown>): PromiseLike<{ data: unknown; error: DatabaseError | null }>;
}

/** What an agent's key may do; a key without one is no agent's, and keeps the rights it has. */
export interface AgentScope {
  may_post: boolean;
  agent_name: string | null;
  /** Agents of a group that share the key. */
  agent_names: string[] | null;
  /** Locations that the key may post for; null until it names the first one. */
  locations: string[] | null;
  resource_ids: string[] | null;
}

/** Results in one request. An agent halves its batches after a 413 and remembers. */
export const MAX_RESULTS = 10_000;
/** Bytes of one request's body. */
export const MAX_BYTES = 8 * 1024 * 1024;
/** Time for the whole body to arrive. */
export const BODY_MS = 30_000;
/** Objects and arrays inside one another; a batch needs four. */
const MAX_DEPTH = 8;

// Without CORS headers: an agent is no browser, and no page of another site should post results.
function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
}

function refuse(status: number, code: string, message: string, headers: Record<string, string> = {}): Response {
  return answer(status, { success: false, error: { code, message } }, headers);
}

/**
 * `POST /v1/check-results`: stores a batch and answers a verdict for each row.
 *
 * @param keyId the id that `validate_api_key` gave for the request's key.
 * @param bodyMs how long the body may take.
 */
export async function handleCheckResults(
  req: Request, database: Database, keyId: string, bodyMs = BODY_MS,
): Promise<Response> {
  const text = await readText(req, bodyMs);
  if (typeof text !== 'string') return text;
  let body: unknown;
  try {
    body = JSON.parse(text, storable);
  } catch {
    return refuse(400, 'BAD_REQUEST', 'the body is not JSON');
  }
  if (!isObject(body) || !isObject(body.agent) || !Array.isArray(body.results)) {
    return refuse(400, 'BAD_REQUEST', 'agent and results are required');
  }
  if (body.results.length > MAX_RESULTS) return tooLarge();
  if (!isShallow(body, MAX_DEPTH)) {
    return refuse(400, 'BAD_REQUEST', `the body is nested deeper than ${MAX_DEPTH} levels`);
  }
  const { data, error } = await database.rpc('ingest_check_results', {
    p_key_id: keyId,
    p_agent: body.agent,
    p_results: body.results,
  });
  return error ? failure(error) : answer(200, { success: true, data });
}

/** The body as text, or the answer to a body that is too long, too slow or not UTF-8. */
async function readText(req: Request, bodyMs: number): Promise<string | Response> {
  // Says so before the body is sent; what it does not say is counted.
  if (Number(req.headers.get('content-length') ?? 0) > MAX_BYTES) return tooLarge();
  const reader = req.body?.getReader();
  if (!reader) return '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), bodyMs);
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const chunk = await Promise.race([reader.read(), late]);
      if (chunk === 'late') return refuse(408, 'TIMEOUT', `the body took longer than ${bodyMs / 1000} s`);
      if (chunk.done) return text + decoder.decode();
      bytes += chunk.value.byteLength;
      if (bytes > MAX_BYTES) return tooLarge();
      text += decoder.decode(chunk.value, { stream: true });
    }
  } catch {
    return refuse(400, 'BAD_REQUEST', 'the body broke off, or is not UTF-8');
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
}

function tooLarge(): Response {
  return refuse(413, 'TOO_LARGE', `at most ${MAX_RESULTS} results and ${MAX_BYTES} bytes in one request`);
}

/** What PostgreSQL cannot hold in jsonb: NUL, and half of a surrogate pair. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/[\0\p{Surrogate}]/gu, '\uFFFD') : value;
}

/** Whether nothing is nested deeper than so many levels. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The status that goes with a SQLSTATE; the code travels with it, since an agent decides by the code. The database's words
 * travel only where they are about the caller's own rows or key; others name what is inside, and go to the log.
 */
export function failure(error: DatabaseError): Response {
  const code = error.code ?? '';
  if (code === '54000') return tooLarge();
  if (code === '42501') return refuse(403, code, error.message);
  // Its own words as well; agents wait as long as is said here.
  if (code === '53400') return refuse(429, 'RATE_LIMITED', error.message, { 'Retry-After': String(secondsOfMinute()) });
  if (/^2[123]/.test(code)) return refuse(400, code, error.message);
  console.error(`database: ${code} ${error.message}`);
  if (/^54/.test(code)) return refuse(400, 'BAD_REQUEST', 'the batch is too complex');
  // Deadlock, lock or statement timeout, shutdown, no connections, also in PostgREST's words: the same batch works in a moment.
  if (/^(08|40|53|55P03|57|PGRST00)/.test(code)) {
    return refuse(503, code, 'the database is busy', { 'Retry-After': '5' });
  }
  // The function is not there: ingest.sql was not applied. 404 is what an agent takes for a missing route.
  if (code === 'PGRST202' || code === '42883') {
    return refuse(404, 'NOT_FOUND', 'the function is missing: apply install.sql');
  }
  return refuse(500, code || 'INTERNAL_ERROR', 'the database refused the batch; the log of the function says why');
}

/** Until the minute of the rates is over. */
function secondsOfMinute(): number {
  return 60 - Math.floor(Date.now() / 1000) % 60;
}

/** A request that is not served; `index.ts` answers `response`. */
export class Refused extends Error {
  constructor(readonly response: Response) {
    super('the request is refused');
  }
}

/**
 * The scope of an agent's key, or null for any other key. Counts the request.
 *
 * @throws Refused when the database does not say, or says that it is one too many: a key must not get more rights because of
 * an outage.
 */
export async function agentScope(database: Database, keyId: string): Promise<AgentScope | null> {
  const { data, error } = await database.rpc('agent_key_scope', { p_key_id: keyId });
  if (error) throw new Refused(failure(error));
  return data as AgentScope | null;
}

/** Whether a key with a scope may use the route: it lists its checks, windows and changes, and posts results; no more. */
export function isOpenToAgents(method: string, entity: string, id?: string): boolean {
  if (id) return false;
  if (method === 'POST') return entity === 'check-results';
  return method === 'GET' && ['monitoring-checks', 'maintenance-windows', 'agent-config'].includes(entity);
}

/** Columns of a check that no agent needs; a token in a stolen list would keep a dead job alive. */
const HIDDEN = new Set(['heartbeat_token', 'azure_metric_name', 'azure_metric_namespace', 'metric_threshold_value',
  'metric_comparison_operator']);

/** The rows of the list of checks, for an agent's key without the columns that it does not need. */
export function withoutTokens<Row extends object>(rows: Row[] | null, scope: AgentScope | null): Partial<Row>[] | null {
  if (!scope || !rows) return rows;
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !HIDDEN.has(name))) as Partial<Row>);
}

/** `GET /v1/agent-config?since=VERSION`: what changed in the list of a key since then (changes.sql). */
export async function handleAgentConfig(since: string | null, database: Database, keyId: string): Promise<Response> {
  if (since !== null && !/^\d{1,15}$/.test(since)) return refuse(400, 'BAD_REQUEST', 'since must be a version');
  const { data, error } = await database.rpc('agent_config', { p_key_id: keyId, p_since: since === null ? null : Number(since) });
  return error ? failure(error) : answer(200, { success: true, data });
}

/** Narrows a query to what the scope allows; `column` holds a resource's id. */
export function keepToScope<Query extends { in(column: string, values: string[]): Query }>(
  query: Query,
  scope: AgentScope | null,
  column = 'resource_id',
): Query {
  return scope?.resource_ids ? query.in(column, scope.resource_ids) : query;
}
