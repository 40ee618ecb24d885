import type { Route, TSchema } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';

/* Whatever is sent to any route of any module, the answer is never a fault of ours. It grows by itself with new routes. */

const platform = await startAccounts({
  environment: { RATE_LIMIT_PER_MINUTE: '0', LOGIN_FAILURES_PER_MINUTE: '10000', RESENDS_PER_MINUTE: '1000' },
});
const tenant = await platform.tenant({ role: 'platform_owner' });

type Request = Parameters<typeof platform.request>[0];

const texts = [
  ...['', '\0', 'a\0b', '\ud800', '9223372036854775808', '-1', '1e400', 'NaN', "'; DROP TABLE users; --", '../..', '%'],
  ...['İ@example.com', '\u202e', '{}', 'x'.repeat(3_000), '__proto__', '2040-01-01T00:00:00+23:59'],
  ...['0000-01-01T00:00:00Z', '294277-01-01T00:00:00Z', '9999-12-31T23:59:60Z', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
];
const values = [...texts, null, true, -1, 2 ** 63, 1e308, 0.5, [], {}, [null], ['a\0b'], [['x']], { $ne: 1 }];
const bodies = ['', 'null', '[]', '"x"', '1', '{', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, '{"__proto__":{}}'];

type Schema = TSchema & {
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  type?: string;
  format?: string;
  minimum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
};

const formats: Readonly<Record<string, string>> = {
  email: 'somebody@example.com',
  uuid: '0190a000-0000-7000-8000-000000000000',
  'date-time': '2040-01-01T00:00:00Z',
  'time-zone': 'UTC',
};

/** Something that the schema takes, as far as a schema tells. */
function sample(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample(schema.anyOf[0] as Schema);
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1);
  if (schema.type === 'boolean') return true;
  if (schema.type === 'array') return schema.items ? [sample(schema.items)] : [];
  if (schema.type === 'object') return fieldsOf(schema, sample);
  return formats[schema.format ?? ''] ?? 'abcdefgh';
}

function fieldsOf(schema: Schema, make: (field: Schema) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, make(field)]));
}

function inUrl(text: string): string {
  return encodeURIComponent(text.slice(0, 400).toWellFormed());
}

/** Every hostile request to one route, with a word about what is hostile in it. */
function* attacks(route: Route): Generator<[what: string, options: Request]> {
  const params = (route.params as Schema | undefined)?.properties ?? {};
  const query = Object.keys((route.query as Schema | undefined)?.properties ?? {});
  const body = route.body as Schema | undefined;
  const good = body && sample(body);
  const url = (changed: Record<string, string> = {}) =>
    `${route.root ? '' : '/api/v1'}${route.path}`.replace(
      /:(\w+)/g,
      (_, name: string) => changed[name] ?? inUrl(String(sample(params[name] ?? ({} as Schema)))),
    );
  const type = route.accepts === 'csv' ? 'text/csv' : 'application/json';
  const withBody = (payload: unknown, to = url()): Request => ({
    method: route.method,
    url: to,
    headers: { 'content-type': type },
    ...(payload === undefined ? {} : { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
  for (const name of Object.keys(params)) {
    for (const text of texts) yield [`${name}=${text}`, withBody(good, url({ [name]: inUrl(text) || '%00' }))];
  }
  for (const name of query) {
    for (const text of texts) yield [`?${name}=${text}`, withBody(good, `${url()}?${name}=${inUrl(text)}&${name}=x`)];
    for (const text of texts) yield [`?${name}=${text}`, withBody(good, `${url()}?${name}=${inUrl(text)}`)];
  }
  if (route.method === 'GET') return;
  for (const text of bodies) yield [`body ${text.slice(0, 20)}`, withBody(text)];
  for (const name of Object.keys(body?.properties ?? {})) {
    for (const value of values)
      yield [`${name}: ${JSON.stringify(value)}`, withBody({ ...(good as object), [name]: value })];
  }
}

/** Of its own for each route: what a route does to an account must not keep the next from being reached. */
async function faultsOf(route: Route): Promise<string[]> {
  const faults: string[] = [];
  const person = await platform.person({ tenant });
  for (const [what, options] of attacks(route)) {
    const { status, body } = await person.request(options);
    if (status >= 500) faults.push(`${what.slice(0, 100)}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  }
  return faults;
}

const routes = platform.kernel.routes
  // Asked once by the module's own tests: it starts programs.
  .filter(({ path }) => path !== '/install/check-requirements' && path !== '/api/health')
  .map((route) => ({ name: `${route.method} ${route.path}`, route }));

test.each(routes)('$name refuses what is hostile and never fails at it', async ({ route }) => {
  expect(await faultsOf(route)).toEqual([]);
});
