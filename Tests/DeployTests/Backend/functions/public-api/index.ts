// SPDX-License-Identifier: MIT
//
// Stands in for the backend's edge function `public-api`: keys, the lists that agents pull, and the lines that
// deploy/quartz/README.md adds to it.
import { serve } from 'https://deno.land/std@0.168.0/http/server.ts';
import { createClient } from 'https://esm.sh/@supabase/supabase-js@2';
import { agentScope, handleAgentConfig, handleCheckResults, isOpenToAgents, keepToScope, Refused, withoutTokens }
  from './check-results.ts';
import { handleApp } from './app-compat.ts';

const supabase = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!);

function errorResponse(code: string, message: string, status: number): Response {
  return Response.json({ success: false, error: { code, message } }, { status });
}

/** The parts of a path below the version. */
function parseRoute(url: URL): { entity: string; id?: string | undefined; action?: string | undefined } {
  const [entity = '', id, action] = url.pathname.replace(/^.*\/v1\//, '').split('/').filter(Boolean);
  return { entity, id, action };
}

async function list(table: string, params: URLSearchParams, scope: Awaited<ReturnType<typeof agentScope>>): Promise<Response> {
  const page = Number(params.get('page') ?? 1);
  const perPage = Math.min(100, Number(params.get('per_page') ?? 50));
  let query = supabase.from(table).select('*,resources(name)');
  const enabled = params.get('is_enabled');
  if (table === 'monitoring_checks' && enabled !== null) query = query.eq('is_enabled', enabled === 'true');
  query = keepToScope(query, scope);
  const { data, error, count } = await query.order('id').range((page - 1) * perPage, page * perPage - 1);
  if (error) return errorResponse('INTERNAL_ERROR', error.message, 500);
  return Response.json({ success: true, data: withoutTokens(data as object[], scope), meta: {
    page, per_page: perPage, total: count, total_pages: Math.ceil((count ?? 0) / perPage) } });
}

serve(async (req: Request) => {
  try {
    const url = new URL(req.url);
    const method = req.method;
    const route = parseRoute(url);
    const said = await supabase.rpc('validate_api_key', { p_key: req.headers.get('x-api-key') ?? '' });
    const keyValidation = { keyId: said.data as string | null };
    if (keyValidation.keyId === null) return errorResponse('UNAUTHORIZED', 'Invalid or missing API key', 401);

    const scope = await agentScope(supabase, keyValidation.keyId!);
    if (scope && !isOpenToAgents(method, route.entity, route.id)) {
      return errorResponse('FORBIDDEN', 'This key belongs to an agent', 403);
    }
    if (route.entity === 'check-results' && method === 'POST') {
      return await handleCheckResults(req, supabase, keyValidation.keyId!);
    }
    if (route.entity === 'agent-config' && method === 'GET') {
      return await handleAgentConfig(new URL(req.url).searchParams.get('since'), supabase, keyValidation.keyId!);
    }
    const app = scope ? null : await handleApp(method, route, url.searchParams, supabase, keyValidation.keyId!);
    if (app) return app;
    if (method === 'GET' && ['monitoring-checks', 'maintenance-windows'].includes(route.entity)) {
      return await list(route.entity.replaceAll('-', '_'), url.searchParams, scope);
    }
    return errorResponse('NOT_FOUND', 'Endpoint not found', 404);
  } catch (error) {
    if (error instanceof Refused) return error.response;
    console.error(error);
    return errorResponse('INTERNAL_ERROR', 'An unexpected error occurred', 500);
  }
});
