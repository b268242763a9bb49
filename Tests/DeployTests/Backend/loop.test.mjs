// SPDX-License-Identifier: MIT
//
// dispatch-notifications.ts and run-now.ts. Run by `deno test` beside them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dispatch, isOwn, maySend } from './dispatch-notifications.ts';
import { runNow } from './run-now.ts';

const alert = { what: 'opened', title: 'Alert: <b>', message: 'a\nb & c', severity: 'critical', resourceName: '<b>', triggered_at: 't',
  alert_ids: ['1'], incident_id: '2' };
const message = (id, type, configuration) => ({ id, attempt: 1, channel: { id: 'c', type, configuration }, alert });

async function run(messages, answers) {
  const settled = {};
  const calls = [];
  const left = [messages, []];
  const queue = { async rpc(name, args) {
    if (name === 'claim_notifications') return { data: left.shift() ?? [], error: null };
    settled[args.p_id] = args.p_ok ? 'sent' : args.p_error;
    return { data: null, error: null };
  } };
  const send = async (url, init) => {
    calls.push({ url, ...init, body: JSON.parse(init.body) });
    return answers(url, init);
  };
  const count = await dispatch(queue, send, 'https://p.example/functions/v1', 'service');
  return { settled, calls, count };
}
const yes = () => ({ status: 200, ok: true, text: async () => '{"success":true}' });

test('each type goes its way, Slack finds its url, mail is escaped', async () => {
  const { settled, calls, count } = await run([
    message('1', 'slack', { webhook_url: 'https://s.example' }), message('2', 'email', { email: 'a@b' }),
    message('3', 'webhook', { webhook_url: 'https://w.example' })], yes);
  assert.deepEqual(settled, { 1: 'sent', 2: 'sent', 3: 'sent' });
  assert.deepEqual(count, { sent: 3, failed: 0 });
  assert.equal(calls[0].body.channelConfig.webhookUrl, 'https://s.example');
  assert.equal(calls[0].body.alertData.title, 'Alert: <b>');
  assert.equal(calls[1].body.alertData.title, 'Alert: &#60;b&#62;');
  assert.equal(calls[1].body.alertData.message, 'a<br>b &#38; c');
  assert.equal(calls[2].url, 'https://w.example');
  assert.equal(calls[2].headers.Authorization, undefined, 'the service key goes to the project alone');
});

test('what is not sent says why, in words without secrets', async () => {
  const say = (status, text) => () => ({ status, ok: status < 300, text: async () => text });
  const one = async (answers, type = 'slack', configuration = { webhook_url: 'https://secret' }) =>
    (await run([message('1', type, configuration)], answers)).settled[1];
  assert.equal(await one(say(500, 'https://secret failed')), 'answered 500');
  assert.equal(await one(say(302, ''), 'webhook'), 'answered 302');
  assert.equal(await one(say(200, '{"success":false,"error":"Unknown channel type"}')), 'send-notifications did not send it');
  assert.equal(await one(say(200, '<html>')), 'send-notifications did not send it');
  assert.equal(await one(() => { throw new Error('https://secret'); }), 'no connection');
  assert.equal(await one(yes, 'webhook', { webhook_url: 'http://plain' }), 'the channel has no https url');
});

test('only the backend itself may start it', () => {
  assert.equal(isOwn('Bearer service', 'service'), true);
  for (const other of [null, '', 'Bearer ', 'Bearer servic', 'Bearer servicee', 'Bearer anon']) assert.equal(isOwn(other, 'service'), false);
  assert.equal(isOwn('Bearer ', ''), false);
});

test('messages are sent for the backend itself and for administrators', async () => {
  const asked = [];
  const caller = (data, error = null) => ({ async rpc(name) { asked.push(name); return { data, error }; } });
  assert.equal(await maySend('Bearer service', 'service', null), true);
  assert.equal(await maySend('Bearer token', 'service', caller(true)), true);
  assert.deepEqual(asked, ['may_send_notifications']);
  for (const other of [null, caller(false), caller(null), caller('true'), caller(true, { message: 'JWT expired' })]) {
    assert.equal(await maySend('Bearer token', 'service', other), false);
  }
  assert.equal(await maySend(null, '', null), false);
});

test('the button gets numbers or words, never none passed', async () => {
  const caller = (asked, states) => ({ async rpc(name) {
    if (name === 'ask_checks') return asked;
    return { data: states.length > 1 ? states.shift() : states[0], error: null };
  } });
  const asks = (list, rest = {}) => ({ data: { asks: list, no_agent: [], not_run_by_agents: [], ...rest }, error: null });
  const open = { total: 2, open: 2, expired: 0, results: [] };
  const done = { total: 2, open: 0, expired: 0, results: [{ status: 'success' }, { status: 'timeout' }] };
  const good = await runNow({}, caller(asks(['a', 'b']), [open, done]), 60_000, 1);
  assert.deepEqual([good.status, good.body.total_checks, good.body.successful, good.body.failures, good.body.warnings], [200, 2, 1, 1, 0]);
  const half = await runNow({}, caller(asks(['a', 'b']), [{ ...open, open: 1, results: [{ status: 'success' }] }]), 20, 1);
  assert.deepEqual([half.status, half.body.successful, half.body.warnings, half.body.unanswered], [200, 1, 1, 1]);
  assert.equal((await runNow({}, caller(asks(['a']), [open]), 20, 1)).status, 504);
  assert.equal((await runNow({}, caller(asks([], { no_agent: ['x'] }), []))).status, 504);
  assert.equal((await runNow({}, caller(asks([], { not_run_by_agents: ['x'] }), []))).body.message, 'Heartbeats and Azure checks are not run by agents');
  assert.equal((await runNow({}, caller({ data: null, error: { code: '42501', message: 'no' } }, []))).status, 403);
  assert.equal((await runNow({}, caller({ data: null, error: { code: '53400', message: 'no' } }, []))).status, 429);
  assert.deepEqual((await runNow({}, caller({ data: null, error: { code: 'XX000', message: 'secret' } }, []))).body.error, 'the database refused to run checks');
  assert.equal((await runNow({ check_id: 'all' }, caller(asks(['a']), [done]))).status, 400, 'no id is not all checks');
  assert.equal((await runNow({ scheduled: true }, { rpc() { throw new Error('asked'); } })).body.total_checks, 0);
});
