// SPDX-License-Identifier: MIT
//
// What the route answers to each thing a database can say. Run beside the compiled check-results.mjs.
import assert from 'node:assert/strict';
import { agentScope, handleCheckResults, isOpenToAgents, keepToScope, MAX_BYTES, MAX_RESULTS }
  from './check-results.mjs';

let asked = [];
const saying = (reply) => ({ rpc: async (name, args) => (asked.push([name, args]), { data: null, error: null, ...reply }) });
const post = (body, reply = {}, headers = {}) => handleCheckResults(
  new Request('http://host/v1/check-results', { method: 'POST', headers,
    body: typeof body === 'string' ? body : JSON.stringify(body) }), saying(reply), 'key-id');
const batch = { agent: { name: 'a', version: '1' }, results: [] };

const verdicts = { accepted: 0, duplicates: 0, rejected: [] };
const fine = await post(batch, { data: verdicts });
assert.equal(fine.status, 200);
assert.deepEqual(await fine.json(), { success: true, data: verdicts });
assert.deepEqual(asked.pop(), ['ingest_check_results', { p_key_id: 'key-id', p_agent: batch.agent, p_results: [] }]);

for (const [code, status, wait] of [
  ['42501', 403], ['22023', 400], ['22P02', 400], ['23503', 400], ['54000', 413], ['40P01', 503, '5'],
  ['55P03', 503, '5'], ['57014', 503, '5'], ['53300', 503, '5'], ['08006', 503, '5'], ['PGRST202', 404],
  ['42883', 404], ['42703', 500], ['XX000', 500], [undefined, 500],
]) {
  const answer = await post(batch, { error: { code, message: 'why' } });
  assert.equal(answer.status, status, code);
  assert.equal(answer.headers.get('retry-after'), wait ?? null, code);
  const { success, error } = await answer.json();
  assert.equal(success, false);
  if (status !== 413 && status !== 404) assert.equal(error.code, code ?? 'INTERNAL_ERROR');
}

asked = [];
for (const body of ['', '{', '[]', 'null', '{"agent":{}}', '{"agent":[],"results":[]}', '{"agent":{},"results":{}}']) {
  assert.equal((await post(body)).status, 400, body);
}
assert.equal((await post({ ...batch, results: Array(MAX_RESULTS + 1).fill({}) })).status, 413);
assert.equal((await post(' '.repeat(MAX_BYTES + 1))).status, 413);
assert.equal((await post(batch, {}, { 'content-length': String(MAX_BYTES + 1) })).status, 413);
assert.deepEqual(asked, [], 'the database is not asked');

await post('{"agent":{"name":"a"},"results":[{"error_message":"a\\u0000b \\ud83d c \\ud83d\\ude00","n":1}]}');
assert.deepEqual(asked.pop()[1].p_results, [{ error_message: 'a\uFFFDb \uFFFD c 😀', n: 1 }]);

const scope = { may_post: true, agent_name: null, agent_names: null, resource_ids: ['r1'] };
assert.deepEqual(await agentScope(saying({ data: scope }), 'k'), scope);
assert.equal(await agentScope(saying({}), 'k'), null);
await assert.rejects(agentScope(saying({ error: { message: 'no connection' } }), 'k'), /no connection/);

const open = [['GET', 'monitoring-checks'], ['GET', 'maintenance-windows'], ['POST', 'check-results']];
for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
  for (const entity of ['monitoring-checks', 'maintenance-windows', 'check-results', 'resources', 'clients', '']) {
    const isOpen = open.some(([m, e]) => m === method && e === entity);
    assert.equal(isOpenToAgents(method, entity), isOpen, `${method} ${entity}`);
    assert.equal(isOpenToAgents(method, entity, 'some-id'), false);
  }
}

const query = { in: (column, values) => ({ narrowed: [column, values] }) };
assert.deepEqual(keepToScope(query, scope), { narrowed: ['resource_id', ['r1']] });
assert.equal(keepToScope(query, { ...scope, resource_ids: null }), query);
assert.equal(keepToScope(query, null), query);
