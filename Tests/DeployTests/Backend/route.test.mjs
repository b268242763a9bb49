// SPDX-License-Identifier: MIT
//
// What the route answers to each thing a database can say. Run beside the compiled check-results.mjs.
import assert from 'node:assert/strict';
import { agentScope, handleAgentConfig, handleCheckResults, isOpenToAgents, keepToScope, MAX_BYTES, MAX_RESULTS, Refused,
  withoutTokens }
  from './check-results.mjs';

// The log of the function, which is not the caller's.
const logged = [];
console.error = (line) => logged.push(line);
let asked = [];
const saying = (reply) => ({ rpc: async (name, args) => (asked.push([name, args]), { data: null, error: null, ...reply }) });
const post = (body, reply = {}, headers = {}) => handleCheckResults(
  new Request('http://host/v1/check-results', { method: 'POST', headers,
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }), saying(reply), 'key-id');
const batch = { agent: { name: 'a', version: '1' }, results: [] };

const verdicts = { accepted: 0, duplicates: 0, rejected: [] };
const fine = await post(batch, { data: verdicts });
assert.equal(fine.status, 200);
assert.deepEqual(await fine.json(), { success: true, data: verdicts });
assert.deepEqual(asked.pop(), ['ingest_check_results', { p_key_id: 'key-id', p_agent: batch.agent, p_results: [] }]);

for (const [code, status, wait] of [
  ['42501', 403], ['22023', 400], ['22P02', 400], ['23503', 400], ['54000', 413], ['40P01', 503, '5'],
  ['55P03', 503, '5'], ['57014', 503, '5'], ['53300', 503, '5'], ['08006', 503, '5'], ['PGRST001', 503, '5'], ['PGRST003', 503, '5'], ['PGRST202', 404],
  ['42883', 404], ['42703', 500], ['XX000', 500], [undefined, 500], ['54001', 400],
]) {
  const answer = await post(batch, { error: { code, message: 'relation "inside" at 10.0.0.7' } });
  assert.equal(answer.status, status, code);
  assert.equal(answer.headers.get('retry-after'), wait ?? null, code);
  const { success, error } = await answer.json();
  assert.equal(success, false);
  if (status !== 413 && status !== 404 && code !== '54001') assert.equal(error.code, code ?? 'INTERNAL_ERROR');
  // Words about the caller's own rows and key are for the caller, what is inside the database is not.
  const isOwn = code === '42501' || (code ?? '').startsWith('2');
  assert.equal(error.message.includes('inside'), isOwn, code);
  if (!isOwn && code !== '54000') assert.match(logged.pop(), /inside/, code);
  assert.equal(answer.headers.get('access-control-allow-origin'), null, 'no page of another site reads it');
}

asked = [];
for (const body of ['', '{', '[]', 'null', '{"agent":{}}', '{"agent":[],"results":[]}', '{"agent":{},"results":{}}']) {
  assert.equal((await post(body)).status, 400, body);
}
assert.equal((await post({ ...batch, results: Array(MAX_RESULTS + 1).fill({}) })).status, 413);
assert.equal((await post(' '.repeat(MAX_BYTES + 1))).status, 413);
assert.equal((await post(batch, {}, { 'content-length': String(MAX_BYTES + 1) })).status, 413);
// A length that says nothing, or too little, and a body that comes in pieces: what arrives is counted.
const pieces = (count, bytes, then = (control) => control.close()) => {
  let sent = 0;
  return { sent: () => sent, body: new ReadableStream({ pull(control) {
    if (sent === count) return then(control);
    sent += 1;
    control.enqueue(new Uint8Array(bytes).fill(0x20));
  } }) };
};
const stream = (source, headers = {}, bodyMs = undefined) => handleCheckResults(new Request('http://host/v1/check-results',
  { method: 'POST', headers, body: source.body, duplex: 'half' }), saying({}), 'key-id', bodyMs);
for (const length of [undefined, 'many', '7', '-1', '1e3']) {
  const endless = pieces(10_000, 1 << 20);
  assert.equal((await stream(endless, length ? { 'content-length': length } : {})).status, 413, length);
  assert.ok(endless.sent() <= 12, `${endless.sent()} MiB were taken`);
}
// Three bytes each, one unit of a string each.
assert.equal((await post('"' + '\u20ac'.repeat(MAX_BYTES / 2) + '"')).status, 413);
assert.equal((await stream(pieces(1, 8, () => new Promise(() => {})), {}, 50)).status, 408);
assert.equal((await stream(pieces(1, 8, (control) => control.error(new Error('reset'))))).status, 400);
assert.equal((await post(new Uint8Array([0x22, 0xff, 0x22]))).status, 400);
// Neither the parser's stack nor the database's is the caller's to fill.
for (const depth of [9, 5000, 1_000_000]) {
  const deep = `{"agent":{"name":"a","x":${'['.repeat(depth)}${']'.repeat(depth)}},"results":[]}`;
  assert.equal((await post(deep)).status, 400, `${depth} levels`);
}
assert.deepEqual(asked, [], 'the database is not asked');

await post('{"agent":{"name":"a"},"results":[{"error_message":"a\\u0000b \\ud83d c \\ud83d\\ude00","n":1}]}');
assert.deepEqual(asked.pop()[1].p_results, [{ error_message: 'a\uFFFDb \uFFFD c 😀', n: 1 }]);

const scope = { may_post: true, agent_name: null, agent_names: null, locations: null, resource_ids: ['r1'] };
assert.deepEqual(await agentScope(saying({ data: scope }), 'k'), scope);
assert.equal(await agentScope(saying({}), 'k'), null);
const refusal = (error) => agentScope(saying({ error }), 'k').then(() => assert.fail('a scope'), (problem) => {
  assert(problem instanceof Refused);
  return problem.response;
});
for (const [code, status] of [['08006', 503], [undefined, 500], ['53300', 503]]) {
  const answer = await refusal({ code, message: 'no connection to 10.0.0.7' });
  assert.equal(answer.status, status);
  assert(!(await answer.text()).includes('10.0.0.7'));
  assert.match(logged.pop(), /10\.0\.0\.7/);
}
// One request too many waits for the next minute.
const busy = await refusal({ code: '53400', message: 'too many requests of this key in a minute' });
assert.equal(busy.status, 429);
const wait = Number(busy.headers.get('retry-after'));
assert(wait >= 1 && wait <= 60, `${wait}`);
assert.deepEqual(await busy.json(), { success: false, error: { code: 'RATE_LIMITED', message: 'too many requests of this key in a minute' } });

const open = [['GET', 'monitoring-checks'], ['GET', 'maintenance-windows'], ['GET', 'agent-config'], ['POST', 'check-results']];
for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
  for (const entity of ['monitoring-checks', 'maintenance-windows', 'check-results', 'agent-config', 'resources', 'clients', '']) {
    const isOpen = open.some(([m, e]) => m === method && e === entity);
    assert.equal(isOpenToAgents(method, entity), isOpen, `${method} ${entity}`);
    assert.equal(isOpenToAgents(method, entity, 'some-id'), false);
  }
}

asked = [];
const config = async (since, reply) => (await handleAgentConfig(since, saying(reply), 'k')).status;
assert.equal(await config('41', { data: { version: 42 } }), 200);
assert.deepEqual(asked.pop(), ['agent_config', { p_key_id: 'k', p_since: 41 }]);
assert.equal(await config(null, { data: {} }), 200);
assert.equal(asked.pop()[1].p_since, null);
for (const since of ['', '-1', '1.5', '1e3', '9'.repeat(16), '1;drop']) assert.equal(await config(since, {}), 400, since);
assert.deepEqual(asked, [], 'the database is not asked');
assert.equal(await config('1', { error: { code: '42501', message: 'this key has no scope' } }), 403);
assert.equal(await config('1', { error: { code: 'PGRST202', message: '' } }), 404);
const check = { id: 'c', url: 'u', heartbeat_token: 't', metric_threshold_value: 1 };
assert.deepEqual(withoutTokens([check], scope), [{ id: 'c', url: 'u' }]);
assert.deepEqual(withoutTokens([check], null), [check], 'people keep all columns');

const query = { in: (column, values) => ({ narrowed: [column, values] }) };
assert.deepEqual(keepToScope(query, scope), { narrowed: ['resource_id', ['r1']] });
assert.equal(keepToScope(query, { ...scope, resource_ids: null }), query);
assert.equal(keepToScope(query, null), query);
