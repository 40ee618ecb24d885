import { action, ById, Default, named, signedIn, Timestamp, Type, Uuid } from '@chowk/kit/kernel';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { getPort } from '../../testing/raw-http.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import { openApiDocument } from './openapi/document.ts';

const Sample = named(
  'Sample',
  Type.Object({ id: Uuid, note: Type.Union([Type.String(), Type.Null()]), updated_at: Timestamp }),
);
const NewSample = named(
  'NewSample',
  Type.Object({ name: Type.String({ trim: true }), locale: Default(Type.String(), 'en-IN') }),
);
const sample = { id: '', note: null, updated_at: '' };
const platform = await startPlatform({
  actions: {
    'samples.getPart': action({
      tag: 'Samples',
      summary: 'Get a part of a sample',
      http: 'GET /samples/:id/parts/:part_id',
      needs: 'customers.view',
      input: Type.Object({
        id: Type.Integer(),
        part_id: Uuid,
        page: Default(Type.Integer(), 1),
        q: Type.Optional(Type.String({ description: 'What to look for.' })),
      }),
      output: Sample,
      answer: { key: 'order' },
      run: async () => sample,
    }),
    'samples.create': action({
      tag: 'Samples',
      summary: 'Create a sample',
      description: 'A tenant can have only one.',
      http: 'POST /samples',
      needs: 'customers.create',
      input: NewSample,
      output: Sample,
      answer: { key: 'sample', message: 'Sample created.', status: 201 },
      errors: ['tenancy.domain_permanent'],
      run: async () => sample,
    }),
    'samples.update': action({
      tag: 'Samples',
      summary: 'Update a sample',
      http: 'PATCH /samples/:id',
      needs: 'customers.edit',
      input: named('SampleChanges', Type.Object({ id: Uuid, name: Type.Optional(Type.String()) })),
      output: Sample,
      answer: { key: 'sample' },
      run: async () => sample,
    }),
    'samples.delete': action({
      tag: 'Samples',
      summary: 'Delete a sample',
      http: 'DELETE /samples/:id',
      needs: 'customers.delete',
      input: ById,
      errors: ['http.precondition_failed'],
      run: async () => ({}),
    }),
    'samples.export': action({
      tag: 'Samples',
      summary: 'Export samples',
      http: 'GET /samples/export',
      needs: 'customers.export',
      file: ['text/csv; charset=utf-8'],
      run: async () => ({}),
    }),
    'samples.token': action({
      tag: 'Auth',
      summary: 'Get a token',
      http: 'POST /oauth/sample',
      root: true,
      public: true,
      tenant: 'none',
      run: async () => ({}),
    }),
    'samples.welcome': action({
      tag: 'Pages',
      summary: 'Welcome',
      http: 'GET /welcome',
      root: true,
      webPage: true,
      public: true,
      run: async () => '',
    }),
    'samples.me': action({
      tag: 'Auth',
      summary: 'Get the caller',
      http: 'GET /me',
      needs: signedIn,
      tenant: 'optional',
      run: async () => ({}),
    }),
    'samples.onBus': action({ summary: 'Test', public: true, bus: { rateLimit: 1 }, run: async () => ({}) }),
  },
});
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const origin = `http://127.0.0.1:${getPort(platform.app)}`;
const answer = await platform.request({ url: '/api/openapi.json' });
const document = answer.body;

/** Resolves a reference. */
function resolve(part: { $ref?: string }) {
  if (part.$ref === undefined) return part;
  return part.$ref
    .split('/')
    .slice(1)
    .reduce((inside, name) => inside[name], document);
}

test('the document is valid OpenAPI 3.1 and public', async () => {
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(document.openapi).toMatch(/^3\.1\./);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('exactly the HTTP actions that are not pages are described', () => {
  const described = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const api = platform.kernel.actions.filter(({ webPage, method }) => method && !webPage);
  const mounted = api.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(described.toSorted()).toEqual(mounted.toSorted());
  expect(document.paths['/welcome']).toBeUndefined();
});

test('operations have the names of their actions', () => {
  const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain('samples.getPart');
  expect(ids).not.toContain('samples.onBus');
});

test('an operation lists its parameters, responses and permissions', () => {
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
  expect(own.at(-1)).toMatchObject({ description: 'What to look for.', schema: { type: 'string' } });
  expect(get.security).toEqual([{ bearer: [] }, { oauth2: ['customers.view'] }]);
  expect(get.description).toContain('customers.view');
  expect(Object.keys(get.responses)).toEqual(['200', '304', '400', '401', '403', '404', '422', '429', 'default']);
  expect(document.paths['/api/v1/me'].get.security).toEqual([{ bearer: [] }, { oauth2: [] }]);
});

test('an operation references the schemas of its body and its response by name', () => {
  const { post } = document.paths['/api/v1/samples'];
  expect(post.description).toContain('A tenant can have only one.');
  expect(post.requestBody.content['application/json']).toMatchObject({
    schema: { $ref: '#/components/schemas/NewSample' },
    example: { name: 'Asha Rao', locale: 'en-IN' },
  });
  expect(document.components.schemas.NewSample.required).toEqual(['name']);
  expect(document.components.schemas.NewSample.properties.name).toEqual({
    type: 'string',
    description: 'The name that people see.',
  });
  expect(post.responses['201'].content['application/json'].schema.properties).toEqual({
    message: { type: 'string', description: 'A sentence for people that says what was done.' },
    sample: { $ref: '#/components/schemas/Sample' },
  });
  expect(post.parameters).toEqual([
    { $ref: '#/components/parameters/tenant' },
    { $ref: '#/components/parameters/apiVersion' },
    { $ref: '#/components/parameters/idempotencyKey' },
  ]);
  expect(document.paths['/oauth/sample'].post).toMatchObject({
    security: [],
    parameters: [{ $ref: '#/components/parameters/idempotencyKey' }],
  });
});

test('path parameters are not part of the body', () => {
  const { patch } = document.paths['/api/v1/samples/{id}'];
  expect(patch.requestBody.content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/SampleChanges',
  });
  expect(Object.keys(document.components.schemas.SampleChanges.properties)).toEqual(['name']);
  expect(patch.requestBody.required).toBe(false);
});

test('a record with an ETag documents ETag, If-Match, If-None-Match and 412', () => {
  const { get } = document.paths['/api/v1/samples/{id}/parts/{part_id}'];
  expect(get.parameters).toContainEqual({ $ref: '#/components/parameters/ifNoneMatch' });
  expect(get.responses['200'].headers).toHaveProperty('ETag');
  const { patch } = document.paths['/api/v1/samples/{id}'];
  expect(patch.parameters).toContainEqual({ $ref: '#/components/parameters/ifMatch' });
  expect(resolve(patch.responses['412']).description).toContain('http.precondition_failed');
  const { delete: remove } = document.paths['/api/v1/samples/{id}'];
  expect(remove.parameters).toContainEqual({ $ref: '#/components/parameters/ifMatch' });
  const { post } = document.paths['/api/v1/samples'];
  expect(post.parameters).not.toContainEqual({ $ref: '#/components/parameters/ifMatch' });
});

test('every error is listed by status and code, including those of the action', () => {
  const { post } = document.paths['/api/v1/samples'];
  expect(resolve(post.responses['409']).description).toContain('`tenancy.domain_permanent`');
  expect(resolve(post.responses['409']).description).toContain('`http.idempotency_busy`');
  expect(resolve(post.responses['403']).description).toContain('`auth.forbidden`');
  const { get } = document.paths['/api/v1/samples/export'];
  expect(resolve(get.responses['429']).description).toContain('`http.too_many_downloads`');
  expect(Object.keys(get.responses['200'].content)).toEqual(['text/csv']);
});

test('errors have an enum of codes, and each response an example for each of its codes', () => {
  const { code, error_codes: fields } = document.components.schemas.Error.properties;
  expect(code.enum).toEqual(expect.arrayContaining(['http.validation_failed', 'tenancy.domain_permanent']));
  expect(fields.additionalProperties.items.enum).toEqual(expect.arrayContaining(['required', 'taken']));
  const { post } = document.paths['/api/v1/samples'];
  const { examples } = resolve(post.responses['409']).content['application/json'];
  expect(examples['tenancy.domain_permanent'].value).toEqual({
    code: 'tenancy.domain_permanent',
    message: expect.stringMatching(/^[A-Z].*\.$/),
  });
  const unlisted = Object.values<{ content: { 'application/json': { examples?: object } } }>(
    document.components.responses,
  )
    .flatMap((response) => Object.keys(response.content?.['application/json']?.examples ?? {}))
    .filter((one) => !code.enum.includes(one));
  expect(unlisted).toEqual([]);
});

test('an undefined error code throws and names the action', () => {
  const [action] = platform.kernel.actions;
  const wrong = { ...action, name: 'x.y', errors: ['no.such'] } as RegisteredAction;
  expect(() => openApiDocument([wrong], [])).toThrow('the action x.y declares the error no.such');
});

test('additional responses and request headers of an action are described', () => {
  const login = resolve(document.paths['/api/v1/auth/login'].post.responses['401']);
  expect(login.content['application/json'].schema.allOf).toMatchObject([
    { $ref: '#/components/schemas/Error' },
    { required: ['two_factor_required'] },
  ]);
  const owner = document.paths['/api/v1/install/owner'].post;
  expect(resolve(owner.responses['403']).content['application/json'].schema.allOf[1].required).toEqual(['redirect']);
  expect(resolve(owner.responses['409']).content['application/json'].schema.allOf[1].required).toEqual([
    'current_step',
  ]);
  expect(Object.keys(owner.responses)).toEqual(['201', '400', '403', '409', '413', '415', '422', '429', 'default']);
  expect(owner.parameters).toContainEqual(expect.objectContaining({ in: 'header', name: 'X-Install-Token' }));
});

test('the reference page loads nothing from other servers', async () => {
  const page = await fetch(`${origin}/docs/`);
  expect(page.headers.get('content-type')).toContain('text/html');
  const html = await page.text();
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, source]) => new URL(source as string, page.url),
  );
  expect(sources.length).toBeGreaterThan(0);
  expect(sources.map((source) => source.origin)).toEqual(sources.map(() => origin));
  expect(html).not.toMatch(/https?:\/\//);
  expect(html).not.toMatch(/<script(?![^>]* src=)/);

  const scripts = await Promise.all(sources.map((source) => fetch(source)));
  for (const { status, headers } of scripts) {
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/javascript/);
  }
  const [library = '', start = ''] = await Promise.all(scripts.map((script) => script.text()));
  expect(library.length).toBeGreaterThan(100_000);
  expect(start).toContain('/api/openapi.json');
});

test('browsers keep the script for a day and the document until it changes', async () => {
  const script = await fetch(`${origin}/docs/js/scalar.js`, { method: 'HEAD' });
  expect(script.headers.get('cache-control')).toBe('public, max-age=86400');
  expect((await fetch(`${origin}/docs/`)).headers.get('cache-control')).toBe('no-store');
  const { etag = '' } = answer.headers;
  expect(answer.headers['cache-control']).toBe('public, no-cache');
  const again = await platform.request({ url: '/api/openapi.json', headers: { 'if-none-match': etag } });
  expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: '' });
});

test('the page may run only its own scripts and has the common response headers', async () => {
  const { headers } = await fetch(`${origin}/docs/`);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/https?:|\*/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('an unknown path below the reference is 404 with a message', async () => {
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
