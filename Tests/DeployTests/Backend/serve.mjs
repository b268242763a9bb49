// SPDX-License-Identifier: MIT
//
// The backend on a loopback port, as far as an agent sees it: the route of deploy/quartz, compiled, in front of a real
// PostgreSQL reached by psql. Usage: node serve.mjs ROUTE.mjs SOCKET_DIRECTORY PORT_FILE [KEY KEY_ID]...
//
// POST /control with {"down": bool, "loseAnswers": n, "tooMany": n} makes it misbehave; GET /control tells what it saw.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { renameSync, writeFileSync } from 'node:fs';

const [route, sockets, portFile, ...pairs] = process.argv.slice(2);
const { agentScope, handleAgentConfig, handleCheckResults, isOpenToAgents, keepToScope, Refused } = await import(route);
const { handleApp } = await import(route.replace('check-results', 'app-compat'));
const keys = new Map(pairs.flatMap((word, index) => (index % 2 ? [] : [[word, pairs[index + 1]]])));
const faults = { down: false, loseAnswers: 0, tooMany: 0 };
const instants = [];

/** Runs one statement; rejects with what PostgreSQL says, its SQLSTATE as `code`. */
function query(sql) {
  return new Promise((resolve, reject) => {
    const psql = spawn('psql', ['-h', sockets, '-U', 'postgres', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1',
      '-v', 'VERBOSITY=verbose']);
    let out = '';
    let err = '';
    psql.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    psql.stderr.setEncoding('utf8').on('data', (text) => (err += text));
    psql.on('close', (status) => {
      if (status === 0) return resolve(out.trim());
      const found = /(?:ERROR|FATAL):\s+(\w{5}): (.*)/.exec(err);
      reject({ code: found?.[1] ?? '08006', message: found?.[2] ?? err.trim() });
    });
    psql.stdin.on('error', () => {});
    psql.stdin.end(sql);
  });
}

const text = (value) => `$quartz_text$${value}$quartz_text$`;

const database = {
  async rpc(name, args) {
    const list = Object.entries(args).map(([key, value]) =>
      typeof value === 'string' ? `${key} => ${text(value)}`
        : value === null || typeof value === 'number' ? `${key} => ${value}` : `${key} => ${text(JSON.stringify(value))}::jsonb`);
    try {
      const data = await query(`set role service_role; select public.${name}(${list.join(', ')});`);
      return { data: data ? JSON.parse(data) : null, error: null };
    } catch (error) {
      return { data: null, error };
    }
  },
};

/** The part of a query builder that a list needs. */
function list(table) {
  const builder = { where: 'true', in(column, values) {
    builder.where += ` and ${column} = any (${text(`{${values.join(',')}}`)}::uuid[])`;
    return builder;
  } };
  builder.rows = (page, perPage) => query(`select json_build_object('total', count(*), 'rows', coalesce(
    json_agg(x order by x.id) filter (where x.number > ${(page - 1) * perPage} and x.number <= ${page * perPage}), '[]'))
    from (select t.*, json_build_object('name', r.name) as resources, row_number() over (order by t.id) as number
      from public.${table} t join public.resources r on r.id = t.resource_id where ${builder.where}) x`);
  return builder;
}

const json = (status, body) => new Response(JSON.stringify(body), {
  status, headers: { 'Content-Type': 'application/json' } });
const error = (status, code, message) => json(status, { success: false, error: { code, message } });

async function answer(request) {
  const url = new URL(request.url);
  const [, entity, id, action] = url.pathname.split('/').filter(Boolean);
  const keyId = keys.get(request.headers.get('x-api-key'));
  if (!keyId) return error(401, 'UNAUTHORIZED', 'Invalid or missing API key');
  const scope = await agentScope(database, keyId);
  if (scope && !isOpenToAgents(request.method, entity, id)) return error(403, 'FORBIDDEN', 'not for an agent key');
  const app = scope ? null : await handleApp(request.method, { entity, id, action }, url.searchParams, database, keyId);
  if (app) return app;
  if (entity === 'check-results' && request.method === 'POST') return handleCheckResults(request, database, keyId);
  if (entity === 'agent-config' && request.method === 'GET') return handleAgentConfig(url.searchParams.get('since'), database, keyId);
  if (request.method !== 'GET' || !['monitoring-checks', 'maintenance-windows'].includes(entity)) {
    return error(404, 'NOT_FOUND', 'Endpoint not found');
  }
  const page = Number(url.searchParams.get('page') ?? 1);
  const perPage = Math.min(100, Number(url.searchParams.get('per_page') ?? 50));
  const table = entity.replaceAll('-', '_');
  const found = JSON.parse(await keepToScope(list(table), scope).rows(page, perPage));
  return json(200, { success: true, data: found.rows, meta: {
    page, per_page: perPage, total: found.total, total_pages: Math.ceil(found.total / perPage) } });
}

async function serve(incoming, outgoing) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (incoming.url === '/control') {
    if (incoming.method === 'POST') Object.assign(faults, JSON.parse(body.toString()));
    return outgoing.end(JSON.stringify({ ...faults, instants }));
  }
  instants.push(Date.now());
  if (faults.down) return incoming.socket.destroy();
  if (faults.tooMany > 0) {
    faults.tooMany -= 1;
    outgoing.writeHead(429, { 'Retry-After': '2' });
    return outgoing.end();
  }
  const request = new Request(`http://127.0.0.1${incoming.url}`, {
    method: incoming.method, headers: incoming.headers, body: body.length ? body : undefined });
  const response = await answer(request).catch((problem) =>
    problem instanceof Refused ? problem.response : error(500, 'INTERNAL_ERROR', problem.message));
  if (faults.loseAnswers > 0 && incoming.url.endsWith('/check-results')) {
    faults.loseAnswers -= 1;
    return incoming.socket.destroy();
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

const server = createServer((incoming, outgoing) => {
  serve(incoming, outgoing).catch(() => incoming.socket.destroy());
});
server.listen(0, '127.0.0.1', () => {
  writeFileSync(`${portFile}.new`, String(server.address().port));
  renameSync(`${portFile}.new`, portFile);
});
