import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { action, Failure, type Log, signedIn, sql, Type } from '@chowk/kit/kernel';
import { afterAll, expect, test } from 'vitest';
import { startPlatform, type TestResponse } from '../../testing/platform.ts';
import { getPort } from '../../testing/raw-http.ts';
import { silent } from '../../testing/silent-log.ts';
import { createHttpServer } from './server.ts';

const secret = 'password=hunter2';
const common = { summary: 'Test', needs: 'things.view' } as const;
const thing = Type.Object({ name: Type.String() });

const platform = await startPlatform({
  actions: {
    'things.list': action({ ...common, http: 'GET /things', run: async () => ({ things: [] }) }),
    'things.create': action({
      ...common,
      http: 'POST /things',
      input: thing,
      answer: { status: 201 },
      run: async (_, input) => input,
    }),
    'test.writeOnly': action({ ...common, http: 'PUT /write-only', run: async () => ({}) }),
    ...Object.fromEntries(
      (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => [
        `test.${method}`,
        action({ ...common, http: `${method} /everything`, run: async () => ({ method }) }),
      ]),
    ),
    'test.small': action({ ...common, http: 'POST /small', bodyLimit: 100, input: thing, run: async () => ({}) }),
    'test.signedIn': action({ ...common, http: 'GET /signed-in', needs: signedIn, run: async () => ({}) }),
    'test.teapot': action({
      ...common,
      http: 'GET /teapot',
      errors: ['things.teapot'],
      run: async () => {
        const extras = { headers: { 'X-Pot': 'tea' }, body: { merged_into: 7 }, cause: new Error(secret) };
        throw new Failure('things.teapot', 418, 'This is a teapot.', extras);
      },
    }),
    'test.throws': action({
      ...common,
      http: 'GET /throws/:what',
      input: Type.Object({ what: Type.String() }),
      run: async (_, { what }) => {
        throw thrown[what];
      },
    }),
    'test.brokenSql': action({
      ...common,
      http: 'GET /broken-sql',
      run: (ctx) => ctx.db.rows(sql`SELECT ${secret}::text FROM no_such_table`),
    }),
    'test.wrongAnswer': action({
      ...common,
      http: 'GET /wrong-answer',
      output: thing,
      run: async () => ({}) as { name: string },
    }),
  },
});

const thrown: Record<string, unknown> = {
  error: new Error(secret),
  text: secret,
  null: null,
  undefined: undefined,
  object: { code: 5, message: secret },
  // The status of a library's error must not become the status of the response.
  'with-status': Object.assign(new Error(secret), { statusCode: 400 }),
};

const acme = await platform.tenant();
const caller = acme.caller('things.view');

function sendText(url: string, payload: string | Buffer, contentType = 'application/json'): Promise<TestResponse> {
  return caller.request({ method: 'POST', url, payload, headers: { 'content-type': contentType } });
}

test.each(['{', '{"name":"x"', '{"a":1}}', "{'name':'x'}", '{"name":NaN}', '[1,]'])(
  'malformed JSON is 400: %s',
  async (text) => {
    const { status, body } = await sendText('/api/v1/things', text);
    expect({ status, body }).toEqual({
      status: 400,
      body: { message: 'The request body is not valid JSON.', code: 'http.malformed_json' },
    });
  },
);

test.each([
  '{"name":"x","__proto__":{"admin":true}}',
  '{"name":"x","\\u005f_proto__":{"admin":true}}',
  '{"name":"x","constructor":{"prototype":{"admin":true}}}',
])('a body that sets a prototype is rejected: %s', async (text) => {
  const { status, body } = await sendText('/api/v1/things', text);
  expect(status).toBe(400);
  expect(body.message).toBeTypeOf('string');
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test('an empty body counts as no body, whatever its Content-Type', async () => {
  expect((await sendText('/api/v1/everything', '')).status).toBe(200);
  const missing = await sendText('/api/v1/things', '');
  expect({ status: missing.status, fields: Object.keys(missing.body.errors) }).toEqual({
    status: 422,
    fields: ['name'],
  });
});

test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'])(
  'a body of type %s is 415',
  async (type) => {
    const { status, body } = await sendText('/api/v1/things', 'name=x', type);
    expect({ status, message: body.message }).toEqual({ status: 415, message: 'Send the body as application/json.' });
  },
);

test('a charset in the Content-Type is accepted', async () => {
  expect((await sendText('/api/v1/things', '{"name":"é"}', 'application/json; charset=utf-8')).status).toBe(201);
});

test('invalid UTF-8 is not a server error', async () => {
  const { status } = await sendText('/api/v1/things', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]));
  expect(status).toBeLessThan(500);
});

test('a body above the limit of the platform or of the action is 413 and names the limit', async () => {
  const platformWide = await sendText('/api/v1/things', JSON.stringify({ name: 'x'.repeat(1_048_576) }));
  expect({ status: platformWide.status, message: platformWide.body.message }).toEqual({
    status: 413,
    message: 'The request body is larger than the 1048576 bytes allowed.',
  });
  const own = await sendText('/api/v1/small', JSON.stringify({ name: 'x'.repeat(100) }));
  expect({ status: own.status, message: own.body.message }).toEqual({
    status: 413,
    message: 'The request body is larger than the 100 bytes allowed.',
  });
  expect((await sendText('/api/v1/small', JSON.stringify({ name: 'x'.repeat(50) }))).status).toBe(200);
});

test.each([
  ['no token', {}],
  ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ['no token after the scheme', { authorization: 'Bearer ' }],
])('%s is 401 and names the authentication scheme', async (_, headers) => {
  const {
    status,
    body,
    headers: answered,
  } = await platform.request({
    url: '/api/v1/signed-in',
    headers: { 'x-tenant': acme.id, ...headers },
  });
  expect({ status, scheme: answered['www-authenticate'] }).toEqual({
    status: 401,
    scheme: expect.stringMatching(/^Bearer resource_metadata="[^"]+"$/),
  });
  expect(body.message).toBeTypeOf('string');
});

test('an unknown token is 401 with the error that OAuth requires', async () => {
  const headers = { 'x-tenant': acme.id, authorization: 'Bearer of-bad-news' };
  const answer = await platform.request({ url: '/api/v1/signed-in', headers });
  expect({ status: answer.status, challenge: answer.headers['www-authenticate'] }).toEqual({
    status: 401,
    challenge: expect.stringMatching(
      /^Bearer error="invalid_token", error_description="The token is unknown, expired or revoked.", resource_metadata="/,
    ),
  });
});

test('a caller without the permission is 403 and the message names the permission', async () => {
  const { status, body } = await acme.caller('things.edit').get('/api/v1/things');
  expect({ status, message: body.message }).toEqual({
    status: 403,
    message: 'This needs the permission things.view.',
  });
});

test.each(['/nowhere', '/api/v1', '/api/v1/things/', '/API/V1/THINGS', '/api/v1/%2e%2e/things', '//api/v1/things'])(
  'an unknown path is 404: %s',
  async (url) => {
    const { status, body } = await caller.get(url);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'http.not_found' });
  },
);

test('an unknown path is 404 before its body is parsed', async () => {
  expect((await sendText('/api/v1/nowhere', '{')).status).toBe(404);
  expect((await sendText('/api/v1/nowhere', '<a/>', 'text/xml')).status).toBe(404);
});

test.each([
  ['DELETE', '/api/v1/things', 'GET, POST, HEAD'],
  ['PUT', '/api/v1/things', 'GET, POST, HEAD'],
  ['GET', '/api/v1/write-only', 'PUT'],
  ['HEAD', '/api/v1/write-only', 'PUT'],
  ['POST', '/api/health', 'GET, HEAD'],
  ['DELETE', '/api/v1/customers/export', 'GET, HEAD'],
  ['PUT', '/api/v1/customers/export', 'GET, HEAD'],
  ['POST', '/api/v1/customers/01890000-0000-7000-8000-000000000001', 'GET, PATCH, DELETE, HEAD'],
] as const)('a wrong method is 405 and Allow names the allowed methods: %s %s', async (method, url, allow) => {
  const { status, headers, body } = await caller.request({ method, url });
  expect({ status, allow: headers.allow }).toEqual({ status: 405, allow });
  if (method !== 'HEAD') expect(body.message).toContain(allow);
});

test('a wrong method is 405 even with an invalid body and without a token', async () => {
  const request = { method: 'POST', url: '/api/v1/write-only', payload: '{' } as const;
  expect((await platform.request({ ...request, headers: { 'content-type': 'text/xml' } })).status).toBe(405);
  expect((await platform.request({ ...request, headers: { 'content-type': 'application/json' } })).status).toBe(405);
});

test('a path may support all methods', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    expect((await caller.request({ method, url: '/api/v1/everything' })).body).toEqual({ method });
  }
});

test('HEAD responds like GET, without the body', async () => {
  const get = await caller.get('/api/v1/things');
  const head = await caller.request({ method: 'HEAD', url: '/api/v1/things' });
  expect({ status: head.status, body: head.body }).toEqual({ status: 200, body: '' });
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect((await platform.request({ method: 'HEAD', url: '/api/v1/things' })).status).toBe(400);
});

test('a failure of an action has its status, message, headers and body in the response, but never its cause', async () => {
  const { status, body, headers } = await caller.get('/api/v1/teapot');
  expect({ status, pot: headers['x-pot'], body }).toEqual({
    status: 418,
    pot: 'tea',
    body: { message: 'This is a teapot.', code: 'things.teapot', merged_into: 7 },
  });
});

test.each([...Object.keys(thrown).map((what) => `/throws/${what}`), '/broken-sql', '/wrong-answer'])(
  'an internal error is 500 with a request id and without its cause: %s',
  async (path) => {
    const { status, body, headers } = await caller.get(`/api/v1${path}`);
    expect({ status, body }).toEqual({
      status: 500,
      body: {
        message: 'An internal error occurred. Quote the request id when you contact support.',
        code: 'http.internal',
        request_id: headers['x-request-id'],
      },
    });
  },
);

test('a server error is logged once with its cause and request id; a client error is not logged', async () => {
  const { app, errors } = await withRecordingLog();
  const headers = { authorization: `Bearer ${caller.token}`, 'x-tenant': acme.id, 'x-request-id': 'find-me' };
  await app.inject({ url: '/api/v1/throws/error', headers });
  await app.inject({ url: '/api/v1/teapot', headers });
  await app.inject({ url: '/api/v1/nowhere', headers });
  expect(errors).toMatchObject([{ request_id: 'find-me', method: 'GET', route: '/api/v1/throws/:what' }]);
  expect(errors[0]?.err).toBe(thrown.error);
});

test.each(['before', 'while'])(
  'a client that disconnects %s its body is read gets an answer that is no server error',
  async (moment) => {
    const { app, errors } = await withRecordingLog();
    const begun = Promise.withResolvers<Socket>();
    const gone = Promise.withResolvers<void>();
    let answers = 0;
    app.addHook('preParsing', async (request, _reply, payload) => {
      begun.resolve(request.raw.socket);
      if (moment === 'before') await gone.promise;
      return payload;
    });
    app.addHook('onError', (_request, _reply, _error, done) => {
      answers += 1;
      done();
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect(getPort(app), '127.0.0.1');
    const lines = [
      'POST /api/v1/things HTTP/1.1',
      `Host: ${acme.id}.localhost`,
      `Authorization: Bearer ${caller.token}`,
      'Content-Type: application/json',
      'Content-Length: 1000',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n{"name":`);
    const served = await begun.promise;
    socket.destroy();
    await once(served, 'close');
    gone.resolve();
    await expect.poll(() => answers).toBe(1);
    expect(errors).toEqual([]);
  },
);

/** A server for the same platform whose logged errors the test can read. */
async function withRecordingLog() {
  const errors: Record<string, unknown>[] = [];
  const log: Log = { ...silent, error: (details) => errors.push(details as Record<string, unknown>) };
  const app = await createHttpServer({ ...platform.kernel, log });
  afterAll(() => app.close());
  return { app, errors };
}

test('the log of an error names the tenant, the action, the file and the line, and the statement', async () => {
  const lines: { action?: string; at?: string; tenant?: string; err?: { message: string; statement?: string } }[] = [];
  const broken = {
    'test.sql': action({
      summary: 'Test',
      http: 'GET /wrong-sql',
      public: true,
      run: async (ctx) => {
        await ctx.db.rows(sql`SELECT nothing FROM nowhere`);
      },
    }),
    'test.output': action({
      summary: 'Test',
      http: 'GET /wrong-output',
      public: true,
      output: Type.Object({ total: Type.Integer() }),
      run: async () => ({ sum: 1 }) as never,
    }),
  };
  const { kernel, tenant } = await startPlatform({ modules: [], actions: broken });
  const app = await createHttpServer({ ...kernel, log: { ...silent, error: (details) => void lines.push(details) } });
  const { id } = await tenant();
  for (const url of ['/api/v1/wrong-sql', '/api/v1/wrong-output']) {
    expect((await app.inject({ url, headers: { 'x-tenant': id } })).statusCode).toBe(500);
  }
  expect(lines).toMatchObject([
    {
      action: 'test.sql',
      tenant: id,
      at: expect.stringMatching(/error-response\.test\.ts:\d+$/),
      err: { message: 'relation "nowhere" does not exist', statement: 'SELECT nothing FROM nowhere' },
    },
    { action: 'test.output', err: { message: 'the output does not match its schema: "total" is required!' } },
  ]);
});
