import { Message, route, signedIn, Type, Uuid } from '@chowk/kit';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { portOf } from '../../testing/raw-http.ts';

const platform = await startPlatform({
  routes: [
    route({
      method: 'GET',
      path: '/samples/:id/parts/:part_id',
      tag: 'Samples',
      summary: 'One part of a sample.',
      needs: 'customers.view',
      params: Type.Object({ id: Type.Integer(), part_id: Uuid }),
      query: Type.Object({ page: Type.Integer({ default: 1 }), q: Type.Optional(Type.String()) }),
      answer: Type.Object({ order: Type.Object({ id: Uuid, note: Type.Union([Type.String(), Type.Null()]) }) }),
      run: async () => ({ order: { id: '', note: null } }),
    }),
    route({
      method: 'POST',
      path: '/samples',
      tag: 'Samples',
      summary: 'A new sample.',
      needs: 'customers.create',
      status: 201,
      body: Type.Object({ name: Type.String(), locale: Type.String({ default: 'en-IN' }) }),
      answer: Message,
      run: async () => ({ message: '' }),
    }),
    route({
      method: 'POST',
      path: '/oauth/sample',
      root: true,
      tag: 'Auth',
      summary: '',
      public: true,
      tenant: 'none',
      run: async () => ({}),
    }),
    route({
      method: 'GET',
      path: '/welcome',
      root: true,
      page: true,
      tag: 'Pages',
      summary: '',
      public: true,
      run: async () => '',
    }),
    route({
      method: 'GET',
      path: '/me',
      tag: 'Auth',
      summary: '',
      needs: signedIn,
      tenant: 'optional',
      run: async () => ({}),
    }),
  ],
});
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const origin = `http://127.0.0.1:${portOf(platform.app)}`;
const answer = await platform.request({ url: '/api/openapi.json' });
const document = answer.body;

test('the description is a valid OpenAPI 3.1 document, for anyone to read', async () => {
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(document.openapi).toMatch(/^3\.1\./);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('every route is described but for pages, and nothing else', () => {
  const described = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const api = platform.kernel.routes.filter(({ page }) => !page);
  const mounted = api.map(({ method, path, root }) => {
    const full = root ? path : `/api/v1${path}`;
    return `${method} ${full.replace(/:(\w+)/g, '{$1}')}`;
  });
  expect(described.toSorted()).toEqual(mounted.toSorted());
  expect(document.paths['/welcome']).toBeUndefined();
});

test('operations have names of their own', () => {
  const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain('getSamplesByIdPartsByPartId');
});

test('an operation tells its parameters, its body, its answers and who may call it', () => {
  const { get } = document.paths['/api/v1/samples/{id}/parts/{part_id}'];
  const own = get.parameters.filter((parameter: object) => !('$ref' in parameter));
  expect(
    own.map(({ name, in: place, required }: { name: string; in: string; required: boolean }) => [
      place,
      name,
      required,
    ]),
  ).toEqual([
    ['path', 'id', true],
    ['path', 'part_id', true],
    ['query', 'page', false],
    ['query', 'q', false],
  ]);
  expect(get.security).toEqual([{ bearer: [] }]);
  expect(get.description).toContain('customers.view');
  expect(Object.keys(get.responses)).toEqual(['200', 'default']);

  const { post } = document.paths['/api/v1/samples'];
  expect(post.requestBody.content['application/json'].schema.required).toEqual(['name']);
  expect(Object.keys(post.responses)).toEqual(['201', 'default']);
  expect(post.parameters).toEqual([
    { $ref: '#/components/parameters/tenant' },
    { $ref: '#/components/parameters/idempotencyKey' },
  ]);
  expect(document.paths['/oauth/sample'].post).toMatchObject({
    security: [],
    parameters: [{ $ref: '#/components/parameters/idempotencyKey' }],
  });
});

test('an answer that a caller must tell from the usual ones is described, and a header that a route looks at', () => {
  const login = document.paths['/api/v1/auth/login'].post.responses['401'];
  expect(login.content['application/json'].schema.allOf).toMatchObject([
    { $ref: '#/components/schemas/Error' },
    { required: ['two_factor_required'] },
  ]);
  const owner = document.paths['/api/v1/install/owner'].post;
  expect(Object.keys(owner.responses)).toEqual(['201', '403', '409', 'default']);
  expect(owner.parameters).toContainEqual(expect.objectContaining({ in: 'header', name: 'X-Install-Token' }));
});

test.each(['/', '/login', '/install', '/device'])(
  '%s leads to the reference as long as there is no console',
  async (path) => {
    const first = await fetch(`${origin}${path}`, { redirect: 'manual' });
    expect({ status: first.status, to: first.headers.get('location') }).toEqual({ status: 302, to: '/docs/' });
    const followed = await fetch(`${origin}/docs`);
    expect(new URL(followed.url).pathname).toBe('/docs/');
    expect(followed.status).toBe(200);
  },
);

test('the reference is a page that fetches nothing from anyone else', async () => {
  const page = await fetch(`${origin}/docs/`);
  expect(page.headers.get('content-type')).toContain('text/html');
  const html = await page.text();
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, source]) => new URL(source as string, page.url),
  );
  expect(sources.length).toBeGreaterThan(0);
  expect(sources.map((source) => source.origin)).toEqual(sources.map(() => origin));
  expect(html).toContain('/api/openapi.json');
  expect(html).not.toMatch(/https?:\/\//);

  for (const source of sources) {
    const script = await fetch(source);
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect((await script.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
  }
});

test('the page may run its own scripts and no others, and still carries what every answer carries', async () => {
  const { headers } = await fetch(`${origin}/docs/`);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/https?:|\*/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('what is not there below the reference is 404 with a message', async () => {
  for (const path of [
    '/docs/nowhere',
    '/docs/../package.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/js/nowhere.js',
  ]) {
    const { status, body } = await platform.request({ url: path });
    expect({ path, status }).toEqual({ path, status: 404 });
    expect(body.message).toBeTypeOf('string');
  }
});
