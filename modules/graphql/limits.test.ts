import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { hostileDocuments, hostileSchema } from '../../server/testing/hostile-documents.ts';
import { startPlatform, type TestCaller } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

/* The limits of operations over HTTP. */

const self = () => ({});
const hostile = {
  ...testModule({ alias: 'hostile' }),
  graphql: {
    // The scalar is in every schema.
    sdl: [hostileSchema.replace('scalar JSON', '')],
    resolvers: [{ Query: { self, order: () => ({ id: 1 }), orders: () => [], search: () => [], count: () => 1 } }],
  },
};
const platform = await startPlatform({
  modules: [...(await repositoryModules('graphql', 'administration')), hostile],
  environment: { RATE_LIMIT_PER_MINUTE: '0', GRAPHQL_COST_PER_MINUTE: '0' },
});
const acme = await platform.tenant();
const permissions = ['settings.view', 'settings.edit', 'graphql.settings.manage'];
const caller = acme.caller(...permissions);

async function findCode(query: string, variables: object = {}, by: TestCaller = caller): Promise<string | undefined> {
  const { status, body } = await by.post('/api/v1/graphql', { query, variables });
  expect(status).toBe(200);
  return body.errors?.[0].extensions.code;
}

const nested = (depth: number) => `${'self { '.repeat(depth - 1)}count${' }'.repeat(depth - 1)}`;
const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: count`).join(' ');

test('an operation can be 7 levels deep, also through fragments', async () => {
  const deep = 'QUERY_TOO_DEEP';
  expect(await findCode(`{ ${nested(7)} }`)).toBeUndefined();
  expect(await findCode(`{ ${nested(8)} }`)).toBe(deep);
  const through = (depth: number) =>
    `{ self { self { ...F } } } fragment F on Query { ... on Query { ${nested(depth)} } }`;
  expect(await findCode(through(5))).toBeUndefined();
  expect(await findCode(through(6))).toBe(deep);
  expect(await findCode(`query ($on: Boolean!) { ... @include(if: $on) { ${nested(8)} } }`, { on: false })).toBe(deep);
});

test('an operation can have 30 aliases, also through fragments', async () => {
  const tooMany = 'TOO_MANY_ALIASES';
  expect(await findCode(`{ ${aliases(30)} }`)).toBeUndefined();
  expect(await findCode(`{ ${aliases(31)} }`)).toBe(tooMany);
  const spread = (count: number) => `{ ...F self { ...F } } fragment F on Query { ${aliases(count)} }`;
  expect(await findCode(spread(15))).toBeUndefined();
  expect(await findCode(spread(16))).toBe(tooMany);
});

test('an operation can have a complexity of 1,000, also through fragments and with variables', async () => {
  const complex = 'QUERY_TOO_COMPLEX';
  expect(await findCode('{ orders(first: 500) { id } }')).toBeUndefined();
  expect(await findCode('{ orders(first: 500) { id } count }')).toBe(complex);
  expect(await findCode('{ ...F } fragment F on Query { orders(first: 500) { id } }')).toBeUndefined();
  expect(await findCode('{ ...F count } fragment F on Query { orders(first: 500) { id } }')).toBe(complex);
  const query = 'query ($first: Int = 600) { orders(first: $first) { id } }';
  for (let use = 0; use < 4; use++) {
    expect(await findCode(query, { first: 500 })).toBeUndefined();
    expect(await findCode(query, { first: 501 })).toBe(complex);
    expect(await findCode(query)).toBe(complex);
  }
  const input = 'query ($input: JSON) { orders_report_1(input: $input) }';
  expect(await findCode(input, { input: { per_page: 1_000 } })).toBeUndefined();
  expect(await findCode(input, { input: { per_page: 1_001 } })).toBe(complex);
  expect(await findCode('query ($n: Int) { orders_report_1(input: { limit: $n }) }', { n: 1_001 })).toBe(complex);
});

test('a tenant can lower the limits but not raise them', async () => {
  const strict = await platform.tenant();
  const admin = strict.caller(...permissions);
  const set = async (values: object) => (await admin.patch('/api/v1/settings', values)).status;
  const limits = { 'graphql.limits.depth': 3, 'graphql.limits.complexity': 50, 'graphql.limits.aliases': 2 };
  const codes = async (by: TestCaller) => [
    await findCode(`{ ${nested(3)} }`, {}, by),
    await findCode(`{ ${nested(4)} }`, {}, by),
    await findCode(`{ ${aliases(2)} }`, {}, by),
    await findCode(`{ ${aliases(3)} }`, {}, by),
    await findCode('{ orders(first: 25) { id } }', {}, by),
    await findCode('{ orders(first: 26) { id } }', {}, by),
  ];
  expect(await codes(admin)).toEqual(Array.from({ length: 6 }, () => undefined));
  expect(await set(limits)).toBe(200);
  const refused = ['QUERY_TOO_DEEP', 'TOO_MANY_ALIASES', 'QUERY_TOO_COMPLEX'];
  expect(await codes(admin)).toEqual(refused.flatMap((code) => [undefined, code]));
  expect(await codes(caller)).toEqual(Array.from({ length: 6 }, () => undefined));
  for (const above of [
    { 'graphql.limits.depth': 8 },
    { 'graphql.limits.complexity': 1_001 },
    { 'graphql.limits.aliases': 31 },
  ]) {
    expect(await set(above)).toBe(422);
  }
  expect(await set({ 'graphql.limits.depth': 0 })).toBe(422);
});

test('introspection is refused where it is disabled, and a tenant can enable it', async () => {
  const closed = await startPlatform({
    modules: await repositoryModules('graphql', 'administration'),
    environment: { GRAPHQL_INTROSPECTION: 'false' },
  });
  const admin = (await closed.tenant()).caller(...permissions);
  const other = (await closed.tenant()).caller();
  const introspection = [
    '{ __schema { queryType { name } } }',
    '{ ...F } fragment F on Query { __type(name: "Query") { name } }',
  ];
  for (const query of introspection) expect(await findCode(query, {}, admin)).toBe('INTROSPECTION_DISABLED');
  expect(await findCode('{ __typename }', {}, admin)).toBeUndefined();
  const misspelt = async (by: TestCaller) => (await by.post('/api/v1/graphql', { query: '{ tenat { id } }' })).body;
  expect((await misspelt(admin)).errors[0].message).not.toContain('Did you mean');
  await admin.patch('/api/v1/settings', { 'graphql.introspection': true });
  for (const query of introspection) expect(await findCode(query, {}, admin)).toBeUndefined();
  expect((await misspelt(admin)).errors[0].message).toContain('Did you mean');
  for (const query of introspection) expect(await findCode(query, {}, other)).toBe('INTROSPECTION_DISABLED');
});

test('introspection is limited to one field, and common tools get theirs', async () => {
  const types = Array.from({ length: 29 }, (_, index) => `a${index}: __schema { types { fields { name } } }`);
  expect(await findCode(`{ ${types.join(' ')} }`)).toBe('QUERY_TOO_COMPLEX');
  expect(await findCode('query A { __schema { description } } query B { __schema { description } }')).toBe('BAD_INPUT');
  expect(await findCode(getIntrospectionQuery())).toBeUndefined();
});

test('operations of a user in a tenant have a limit of complexity per minute, in sum', async () => {
  const limited = await startPlatform({
    modules: [...(await repositoryModules('graphql', 'administration')), hostile],
    environment: { GRAPHQL_COST_PER_MINUTE: '2500', GRAPHQL_INTROSPECTION: 'true' },
  });
  const tenant = await limited.tenant();
  const [spender, other] = [tenant.caller(), tenant.caller()];
  const query = { query: '{ orders(first: 500) { id } }' };
  const send = (by: TestCaller, body: object = query) => by.post('/api/v1/graphql', body);
  expect([(await send(spender)).status, (await send(spender)).status]).toEqual([200, 200]);
  const refused = await send(spender);
  const seconds = Number(refused.headers['retry-after']);
  expect(seconds).toBeGreaterThan(0);
  expect({ status: refused.status, body: refused.body }).toEqual({
    status: 429,
    body: {
      errors: [
        {
          message: `Your GraphQL operations of the last minute exceed a complexity of 2500 in sum; try again in ${seconds} seconds.`,
          extensions: { code: 'RATE_LIMITED', reason: 'graphql.too_expensive', retry_after: seconds },
        },
      ],
    },
  });
  expect((await send(spender, { query: '{ count }' })).status).toBe(200);
  expect((await send(other)).status).toBe(200);
  expect((await send((await limited.tenant()).caller())).status).toBe(200);
  const curious = tenant.caller();
  expect((await send(curious, { query: getIntrospectionQuery() })).status).toBe(200);
  expect((await send(curious, { query: '{ count }' })).status).toBe(429);
});

test('a request above the limit of requests is answered as GraphQL over HTTP describes', async () => {
  const limited = await startPlatform({
    modules: await repositoryModules('graphql', 'administration'),
    environment: { RATE_LIMIT_PER_MINUTE: '1' },
  });
  const by = (await limited.tenant()).caller();
  const headers = { accept: 'application/graphql-response+json', 'content-type': 'application/json' };
  const send = () =>
    by.request({
      method: 'POST',
      url: '/api/v1/graphql',
      headers,
      payload: JSON.stringify({ query: '{ __typename }' }),
    });
  expect((await send()).status).toBe(200);
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(refused.headers['content-type']).toBe('application/graphql-response+json; charset=utf-8');
  expect(JSON.parse(refused.body)).toEqual({
    errors: [
      {
        message: expect.stringContaining('Too many requests'),
        extensions: {
          code: 'RATE_LIMITED',
          reason: 'http.too_many_requests',
          retry_after: Number(refused.headers['retry-after']),
        },
      },
    ],
  });
});

const codes = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'QUERY_TOO_DEEP',
  'QUERY_TOO_COMPLEX',
  'TOO_MANY_ALIASES',
  'BAD_INPUT',
];

/** Writes JSON of any depth. */
function writeJson(value: unknown): string {
  let depth = 0;
  let inner = value;
  for (; Array.isArray(inner) && inner.length === 1; [inner] = inner) depth++;
  if (depth > 0) return '['.repeat(depth) + JSON.stringify(inner) + ']'.repeat(depth);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${writeJson(one)}`)}}`;
}

test('variables can be nested as deep as a body allows', async () => {
  const payload = writeJson({
    query: 'query ($a: JSON, $n: Int) { orders(filter: $a, first: $n) { id } }',
    variables: {},
  });
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  for (let use = 0; use < 4; use++) {
    const { status, body } = await caller.request({
      method: 'POST',
      url: '/api/v1/graphql',
      headers: { 'content-type': 'application/json' },
      payload: payload.replace('{}', deep),
    });
    expect({ status, code: body.errors?.[0].extensions.code }).toEqual({ status: 200, code: 'BAD_INPUT' });
  }
});

test.each(hostileDocuments)('$name is answered without an internal error', async ({ text, variables = {}, code }) => {
  const [, operationName] = /^\s*(?:query|mutation) (\w+)/.exec(text) ?? [];
  const payload = writeJson({ query: text, variables, ...(operationName && { operationName }) });
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await caller.request({ method: 'POST', url: '/api/v1/graphql', payload, headers });
  expect([200, 400, 413]).toContain(status);
  const errors: { message: string; extensions: { code: string } }[] = body.errors ?? [];
  for (const error of errors) {
    expect(codes).toContain(error.extensions.code);
    expect(error.message.length).toBeLessThan(600);
  }
  if (code !== undefined) expect(body).not.toHaveProperty('data');
});
