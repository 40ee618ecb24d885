import { route, sql, Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { sendLines } from '../../testing/raw-http.ts';

const common = { tag: 'T', summary: 's' } as const;
const platform = await startPlatform({
  environment: {},
  routes: [
    route({
      ...common,
      method: 'POST',
      path: '/u',
      needs: 'x',
      body: Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
      run: async (_c, { body }) => ({ body }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/many',
      needs: 'x',
      body: Type.Object({ list: Type.Array(Type.Union([Type.String(), Type.Null()])) }),
      run: async (_c, { body }) => ({ n: body.list.length }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/rec',
      needs: 'x',
      body: Type.Record(Type.String(), Type.Integer()),
      run: async (_c, { body }) => ({ body }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/num',
      needs: 'x',
      body: Type.Object({ n: Type.Number(), i: Type.Optional(Type.Integer()) }),
      run: async (_c, { body }) => ({ s: String(body.n) + ' ' + String(body.i) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/any',
      needs: 'x',
      body: Type.Unknown(),
      run: async () => ({ ok: true }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/strs',
      needs: 'x',
      body: Type.Object({ list: Type.Array(Type.String()) }),
      run: async () => ({ ok: true }),
    }),
    route({ ...common, method: 'POST', path: '/void', needs: 'x', run: async () => undefined }),
    route({
      ...common,
      method: 'POST',
      path: '/null',
      needs: 'x',
      run: async () => {
        throw null;
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/undef',
      needs: 'x',
      run: async () => {
        throw undefined;
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/str',
      needs: 'x',
      run: async () => {
        throw 'secret';
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/e400',
      needs: 'x',
      run: async () => {
        throw Object.assign(new Error('secret'), { statusCode: 400 });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/p/:id',
      needs: 'x',
      params: Type.Object({ id: Type.String() }),
      run: async (_c, { params }) => ({ params }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/anon',
      public: true,
      tenant: 'optional',
      run: async (c) => {
        try {
          return { t: c.tenant.id };
        } catch {
          return { t: null };
        }
      },
    }),
  ],
});
const acme = await platform.tenant();
const me = acme.caller('x');
const show = (label: string, a: { status: number; body?: unknown; text?: string; headers: object }) =>
  console.log(label, a.status, JSON.stringify(a.body ?? a.text)?.slice(0, 300), JSON.stringify(a.headers));

test('probe', async () => {
  show('union b', await me.post('/api/v1/u', { b: 'x', c: 1 }));
  show('rec', await me.post('/api/v1/rec', { toString: 'x' }));
  show(
    'inf',
    await me.request({
      method: 'POST',
      url: '/api/v1/num',
      payload: '{"n":1e999,"i":1e999}',
      headers: { 'content-type': 'application/json' },
    }),
  );
  show('many', await me.post('/api/v1/many', { list: Array(60).fill(1) }));
  const big = '{"list":[' + Array(300_000).fill('1').join(',') + ']}';
  for (const p of ['many', 'strs']) {
    const t = performance.now();
    show(
      p + ' big',
      await me.request({
        method: 'POST',
        url: '/api/v1/' + p,
        payload: big,
        headers: { 'content-type': 'application/json' },
      }),
    );
    console.log('took', performance.now() - t);
  }
  const deep = '['.repeat(100000) + ']'.repeat(100000);
  for (const p of ['any', 'rec', 'many'])
    show(
      'deep ' + p,
      await me.request({
        method: 'POST',
        url: '/api/v1/' + p,
        payload: deep,
        headers: { 'content-type': 'application/json' },
      }),
    );
  show('void', await me.post('/api/v1/void', undefined, { 'idempotency-key': 'a' }));
  show('void again', await me.post('/api/v1/void', undefined, { 'idempotency-key': 'a' }));
  show('str', await me.post('/api/v1/str'));
  show('e400', await me.post('/api/v1/e400'));
  show('null', await me.post('/api/v1/null').catch((e) => ({ status: 0, body: String(e), headers: {} })));
  show('param', await me.get('/api/v1/p/%E0%A4%A'));
  show('param long', await me.get('/api/v1/p/' + 'x'.repeat(600)));
  show('param nul', await me.get('/api/v1/p/%00'));
  show(
    'xml to GET',
    await me.request({ method: 'POST', url: '/api/v1/p/1', payload: '<a/>', headers: { 'content-type': 'text/xml' } }),
  );
  show(
    'xml to 404',
    await me.request({ method: 'POST', url: '/api/v1/nope', payload: '<a/>', headers: { 'content-type': 'text/xml' } }),
  );
  show(
    'bad json to 404',
    await me.request({
      method: 'POST',
      url: '/api/v1/nope',
      payload: '{',
      headers: { 'content-type': 'application/json' },
    }),
  );
  show('options', await me.request({ method: 'OPTIONS', url: '/api/v1/p/1' }));
  show(
    'proto',
    await me.request({
      method: 'POST',
      url: '/api/v1/any',
      payload: '{"__proto__":1}',
      headers: { 'content-type': 'application/json' },
    }),
  );
  show(
    '413',
    await me.request({
      method: 'POST',
      url: '/api/v1/any',
      payload: JSON.stringify('x'.repeat(2e6)),
      headers: { 'content-type': 'application/json' },
    }),
  );
  show('HEAD', await me.request({ method: 'HEAD', url: '/api/v1/p/1' }));
  show('openapi', await me.request({ method: 'GET', url: '/docs' }));
  await platform.app.listen({ host: '127.0.0.1', port: 0 });
  const port = (platform.app.server.address() as { port: number }).port;
  show('nohost', await sendLines(port, ['GET /api/v1/anon HTTP/1.1', 'Connection: close']));
  show('nohost10', await sendLines(port, ['GET /api/v1/anon HTTP/1.0']));
  show('2host', await sendLines(port, ['GET /api/v1/anon HTTP/1.1', 'Host: a', 'Host: b', 'Connection: close']));
  show(
    'abs',
    await sendLines(port, [
      `GET http://other.localhost/api/v1/anon HTTP/1.1`,
      `Host: ${acme.id}.localhost`,
      'Connection: close',
    ]),
  );
  show('garbage', await sendLines(port, [`FOO / HTTP/1.1`, `Host: ${acme.id}.localhost`, 'Connection: close']));
  show('long', await sendLines(port, [`GET /${'x'.repeat(10000)} HTTP/1.1`, `Host: localhost`, 'Connection: close']));
  show('longer', await sendLines(port, [`GET /${'x'.repeat(20000)} HTTP/1.1`, `Host: localhost`, 'Connection: close']));
  show('docs/', await sendLines(port, [`GET /docs/ HTTP/1.1`, `Host: localhost`, 'Connection: close']));
  show('docs', await sendLines(port, [`GET /docs HTTP/1.1`, `Host: localhost`, 'Connection: close']));
  show('docs/nope', await sendLines(port, [`GET /docs/nope HTTP/1.1`, `Host: localhost`, 'Connection: close']));
  show('TRACE', await sendLines(port, [`TRACE /api/v1/anon HTTP/1.1`, `Host: localhost`, 'Connection: close']));
  show('opt *', await sendLines(port, [`OPTIONS * HTTP/1.1`, `Host: localhost`, 'Connection: close']));
}, 60000);
