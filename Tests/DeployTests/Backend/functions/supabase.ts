// SPDX-License-Identifier: MIT
//
// Stands in for supabase-js: the part of it that the edge functions use, over the same HTTP interface (PostgREST).

export interface DatabaseError { code?: string; message: string }
export interface Answer { data: unknown; error: DatabaseError | null; count: number | null }

export function createClient(url: string, key: string, options: { global?: { headers?: Record<string, string> } } = {}): Client {
  return new Client(`${url}/rest/v1`, { apikey: key, Authorization: `Bearer ${key}`, ...options.global?.headers });
}

export class Client {
  constructor(private readonly base: string, private readonly headers: Record<string, string>) {}

  rpc(name: string, args: Record<string, unknown>): Promise<Answer> {
    return ask(`${this.base}/rpc/${name}`, {
      method: 'POST', headers: { ...this.headers, 'Content-Type': 'application/json' }, body: JSON.stringify(args),
    });
  }

  from(table: string): Query {
    return new Query(new URL(`${this.base}/${table}`), this.headers);
  }
}

/** A query that is sent when it is awaited. */
export class Query implements PromiseLike<Answer> {
  constructor(private readonly url: URL, private readonly headers: Record<string, string>) {}

  private with(name: string, value: string): this {
    this.url.searchParams.append(name, value);
    return this;
  }

  select(columns: string): this { return this.with('select', columns); }
  eq(column: string, value: unknown): this { return this.with(column, `eq.${value}`); }
  in(column: string, values: string[]): this { return this.with(column, `in.(${values.join(',')})`); }
  order(column: string): this { return this.with('order', column); }
  range(from: number, to: number): this { return this.with('offset', `${from}`).with('limit', `${to - from + 1}`); }

  then<Done, Failed>(done: (answer: Answer) => Done | PromiseLike<Done>, failed?: (reason: unknown) => Failed | PromiseLike<Failed>) {
    return ask(this.url, { headers: { ...this.headers, Prefer: 'count=exact' } }).then(done, failed);
  }
}

/** Never throws: what keeps the request from an answer is an error without a code. */
async function ask(url: URL | string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    const body = text === '' ? null : JSON.parse(text);
    if (!response.ok) return { data: null, error: body as DatabaseError, count: null };
    const total = response.headers.get('Content-Range')?.split('/')[1];
    return { data: body, error: null, count: total === undefined ? null : Number(total) };
  } catch (problem) {
    return { data: null, error: { code: '', message: String(problem) }, count: null };
  }
}
