// SPDX-License-Identifier: MIT
//
// The edge function `dispatch-notifications`: takes messages from the queue (dispatch.sql), sends them through
// `send-notifications` and says what became of each. It imports nothing; README.md beside it shows the lines that call it.

/** What is needed of a Supabase client with the service role. */
export interface Queue {
  rpc(name: string, args: Record<string, unknown>): PromiseLike<{ data: unknown; error: { message: string } | null }>;
}

/** One message, as claim_notifications gives it. */
export interface Message {
  id: string;
  attempt: number;
  channel: { id: string; type: string; configuration: Record<string, unknown> };
  alert: { what: string; title: string; message: string; severity: string; resourceName: string; triggered_at: string;
    alert_ids: string[]; incident_id: string };
}

export type Fetch = (url: string, init: { method: string; headers: Record<string, string>; body: string; redirect: 'manual';
  signal: AbortSignal }) => Promise<{ status: number; ok: boolean; text(): Promise<string> }>;

/** Time for one message; a claim's lease is 60 s. */
const SEND_MS = 15_000;
const ROUNDS = 5;
const AT_ONCE = 10;

/** Whether the request comes from the backend itself: its bearer is the service role's key. */
export function isOwn(authorization: string | null, serviceKey: string): boolean {
  const given = new TextEncoder().encode((authorization ?? '').replace(/^Bearer /i, ''));
  const wanted = new TextEncoder().encode(serviceKey);
  // As long for a wrong key as for the right one.
  let different = given.length ^ wanted.length;
  for (let index = 0; index < wanted.length; index += 1) different |= wanted[index] ^ (given[index] ?? 0);
  return serviceKey.length > 0 && different === 0;
}

/**
 * Whether a request may make `send-notifications` send: it comes from the backend itself, or from an administrator who tries
 * a channel out.
 *
 * @param caller a client with the token of the request, or null without one.
 */
export async function maySend(authorization: string | null, serviceKey: string, caller: Queue | null): Promise<boolean> {
  if (isOwn(authorization, serviceKey)) return true;
  const said = await caller?.rpc('may_send_notifications', {});
  return said?.error === null && said.data === true;
}

/** Sends what is due, and answers how many were sent and how many are to be tried again. */
export async function dispatch(
  queue: Queue, send: Fetch, functionsUrl: string, serviceKey: string,
): Promise<{ sent: number; failed: number }> {
  const count = { sent: 0, failed: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { data, error } = await queue.rpc('claim_notifications', { p_limit: AT_ONCE });
    if (error) throw new Error(`claim_notifications: ${error.message}`);
    const messages = data as Message[];
    if (messages.length === 0) break;
    await Promise.all(messages.map(async (message) => {
      const problem = await sendOne(message, send, functionsUrl, serviceKey);
      count[problem === null ? 'sent' : 'failed'] += 1;
      const settled = await queue.rpc('settle_notification', { p_id: message.id, p_ok: problem === null, p_error: problem });
      // Its lease ends, and it is sent once more.
      if (settled.error) console.error(`settle_notification ${message.id}: ${settled.error.message}`);
    }));
  }
  return count;
}

/** Null, or why it was not sent: fixed words, since an answer or an error may hold a channel's secret. */
async function sendOne(message: Message, send: Fetch, functionsUrl: string, serviceKey: string): Promise<string | null> {
  const { channel, alert } = message;
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  let url = `${functionsUrl}/send-notifications`;
  let body: unknown;
  if (channel.type === 'webhook') {
    const target = channel.configuration.webhook_url ?? channel.configuration.webhookUrl ?? channel.configuration.url;
    if (typeof target !== 'string' || !/^https:\/\//i.test(target)) return 'the channel has no https url';
    url = target;
    body = { id: message.id, ...alert };
  } else {
    headers.Authorization = `Bearer ${serviceKey}`;
    const hook = channel.configuration.webhook_url ?? channel.configuration.webhookUrl;
    body = {
      action: 'send',
      channelType: channel.type,
      // The form stores webhook_url; for Slack webhookUrl is read.
      channelConfig: { ...channel.configuration, webhookUrl: hook, webhook_url: hook },
      alertData: channel.type === 'email' ? escaped(alert) : alert,
    };
  }
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), SEND_MS);
  try {
    const answer = await send(url, {
      method: 'POST', headers, body: JSON.stringify(body), redirect: 'manual', signal: late.signal,
    });
    if (!answer.ok) return `answered ${answer.status}`;
    if (channel.type === 'webhook') return null;
    // It says 200 to a channel that it does not know as well.
    return saysSuccess(await answer.text()) ? null : 'send-notifications did not send it';
  } catch {
    return late.signal.aborted ? 'no answer in time' : 'no connection';
  } finally {
    clearTimeout(timer);
  }
}

function saysSuccess(text: string): boolean {
  try {
    return (JSON.parse(text) as { success?: unknown }).success === true;
  } catch {
    return false;
  }
}

/** For a body that is put into HTML as it is. */
function escaped(alert: Message['alert']): Message['alert'] {
  const safe = (text: string) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  return { ...alert, title: safe(alert.title), message: safe(alert.message).replace(/\n/g, '<br>'),
    resourceName: safe(alert.resourceName ?? ''), severity: safe(alert.severity) };
}
