// SPDX-License-Identifier: MIT
//
// Takes the place of the edge function `execute-checks`: the apps' button stays as it is, and agents run the checks. The caller's
// own token goes to the database, which judges it. It imports nothing; README.md beside it shows the lines that call it.

/** What is needed of a Supabase client with the caller's token. */
export interface Caller {
  rpc(name: string, args: Record<string, unknown>): PromiseLike<{ data: unknown; error: { code?: string; message: string } | null }>;
}

const WAIT_MS = 25_000;
const STEP_MS = 500;

interface Asked { asks: string[]; no_agent: string[]; not_run_by_agents: string[] }
interface State { total: number; open: number; expired: number; results: { status: string }[] }
interface Answer { status: number; body: Record<string, unknown> }

/** Answers a press of the button with the numbers that the apps show; never "0 passed" where nothing ran. */
export async function runNow(request: unknown, caller: Caller, waitMs = WAIT_MS, stepMs = STEP_MS): Promise<Answer> {
  const body = (typeof request === 'object' && request !== null ? request : {}) as Record<string, unknown>;
  // The runner's job of pg_cron, where it is not off yet.
  if (body.scheduled) return { status: 200, body: { message: 'Agents run the checks', total_checks: 0, results: [] } };
  // What is no id must not become "all checks".
  for (const name of ['check_id', 'resource_id']) {
    if ((body[name] ?? null) !== null && !isId(body[name])) return { status: 400, body: { error: `${name} must be a uuid` } };
  }
  const asked = await caller.rpc('ask_checks', { p_check: body.check_id ?? null, p_resource: body.resource_id ?? null });
  if (asked.error) {
    const status = { '42501': 403, '53400': 429 }[asked.error.code ?? ''];
    return { status: status ?? 500, body: { error: status ? asked.error.message : 'the database refused to run checks' } };
  }
  const { asks, no_agent, not_run_by_agents } = asked.data as Asked;
  if (asks.length === 0) {
    if (no_agent.length > 0) {
      return { status: 504, body: { error: 'No agent that may run this was heard of for 90 s; see the list of agents' } };
    }
    const message = not_run_by_agents.length > 0
      ? 'Heartbeats and Azure checks are not run by agents' : 'No enabled checks found';
    return { status: 200, body: { message, total_checks: 0, successful: 0, failures: 0, warnings: 0, results: [] } };
  }
  let state: State = { total: asks.length, open: asks.length, expired: 0, results: [] };
  for (const end = Date.now() + waitMs; state.open > 0 && Date.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, stepMs));
    const got = await caller.rpc('asks_state', { p_ids: asks });
    if (!got.error) state = got.data as State;
  }
  const unanswered = asks.length - state.results.length + no_agent.length;
  if (state.results.length === 0) {
    return { status: 504, body: { error: 'No agent has answered yet; its last contact is in the list of agents' } };
  }
  const failures = state.results.filter((result) => result.status !== 'success').length;
  return { status: 200, body: {
    message: 'Checks executed', total_checks: state.results.length, successful: state.results.length - failures, failures,
    warnings: unanswered, unanswered, results: state.results,
  } };
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}
