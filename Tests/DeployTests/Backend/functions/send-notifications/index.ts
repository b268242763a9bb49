// SPDX-License-Identifier: MIT
//
// Stands in for the backend's edge function `send-notifications`, with the guard of deploy/quartz/README.md: what it would send,
// it gives to the proof.
import { serve } from 'https://deno.land/std@0.168.0/http/server.ts';
import { createClient } from 'https://esm.sh/@supabase/supabase-js@2';
import { maySend } from './dispatch-notifications.ts';

const [supabaseUrl, supabaseServiceKey] = [Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!];
const corsHeaders = { 'Access-Control-Allow-Origin': '*' };

serve(async (req: Request) => {
  const authHeader = req.headers.get('Authorization');
  const supabaseUser = authHeader === null ? null
    : createClient(supabaseUrl, Deno.env.get('SUPABASE_ANON_KEY')!, { global: { headers: { Authorization: authHeader } } });
  if (!await maySend(authHeader, supabaseServiceKey, supabaseUser)) {
    return new Response(JSON.stringify({ success: false, error: 'Not allowed' }), { status: 403, headers: corsHeaders });
  }
  const body = await req.json();
  if (body.channelType === 'webhook') return Response.json({ success: false, error: 'Unknown channel type' });
  await (await fetch(`${supabaseUrl}/sent`, { method: 'POST', body: JSON.stringify(body) })).text();
  return Response.json({ success: true });
});
