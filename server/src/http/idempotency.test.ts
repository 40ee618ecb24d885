import { Readable } from 'node:stream';
import { Answer, action, Failure, signedIn, sql, Type } from '@chowk/kit/kernel';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { startPlatform, type TestResponse, uniqueId } from '../../testing/platform.ts';

const common = { summary: 'Test', needs: signedIn } as const;
/** The number of times each order was placed. */
const placed: string[] = [];
let gate: { arrived: PromiseWithResolvers<void>; open: PromiseWithResolvers<void> } | undefined;
let failure: Error | undefined;
let serializationFailures = 0;

const platform = await startPlatform({
  modules: [],
  actions: {
    'orders.create': action({
      ...common,
      http: 'POST /orders',
      input: Type.Object({ item: Type.String() }),
      errors: ['test.limited', 'test.conflict'],
      run: async (ctx, { item }) => {
        const number = placed.push(item);
        await ctx.db.run(sql`INSERT INTO placed VALUES (${item})`);
        gate?.arrived.resolve();
        await gate?.open.promise;
        if (failure) throw failure;
        if (serializationFailures > 0) {
          serializationFailures -= 1;
          await ctx.db.run(sql`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
        }
        const order = { number, item };
        return new Answer({ order }, { status: 201, headers: { 'X-Extra': 'yes' } });
      },
    }),
    'test.nothing': action({
      ...common,
      http: 'POST /nothing',
      run: async () => {
        placed.push('nothing');
        return undefined;
      },
    }),
    'test.platformWide': action({
      ...common,
      http: 'POST /platform-wide',
      tenant: 'none',
      errors: ['test.conflict'],
      run: async () => {
        const number = placed.push('platform-wide');
        gate?.arrived.resolve();
        await gate?.open.promise;
        if (failure) throw failure;
        return { number };
      },
    }),
    'test.file': action({
      ...common,
      http: 'POST /file',
      run: async (ctx) => {
        await ctx.db.run(sql`INSERT INTO placed VALUES ('file')`);
        return new Answer(Readable.from(['a', 'b']));
      },
    }),
    'test.open': action({
      summary: 'Test',
      public: true,
      http: 'POST /open',
      run: async () => ({ number: placed.push('open') }),
    }),
    'orders.list': action({
      ...common,
      http: 'GET /orders',
      run: async () => ({ number: placed.push('read') }),
    }),
    'orders.update': action({
      ...common,
      http: 'PATCH /orders',
      run: async () => ({ number: placed.push('changed') }),
    }),
  },
});
const acme = await platform.tenant();
const caller = acme.caller();
await acme.db.run(sql`CREATE TABLE placed (item text)`);

function place(item: string, key: string, by = caller): Promise<TestResponse> {
  return by.post('/api/v1/orders', { item }, { 'idempotency-key': key });
}

function timesPlaced(item: string): number {
  return placed.filter((one) => one === item).length;
}

/** The number of orders in the database. */
function placedRows(item: string): Promise<number> {
  return acme.db.rows(sql`SELECT FROM placed WHERE item = ${item}`).then((rows) => rows.length);
}

function isReplay({ headers }: TestResponse): boolean {
  return headers['idempotency-replayed'] === 'true';
}

test('a repeated request gets the first response and does not run again', async () => {
  const first = await place('chair', 'a');
  expect({ status: first.status, replay: isReplay(first) }).toEqual({ status: 201, replay: false });
  for (const again of [await place('chair', 'a'), await place('chair', 'a')]) {
    expect({ status: again.status, body: again.body, replay: isReplay(again) }).toEqual({
      status: 201,
      body: first.body,
      replay: true,
    });
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(again.headers['x-ring']).toBe('stable');
  }
  expect(timesPlaced('chair')).toBe(1);
});

test('requests without a key, or with different keys, run every time', async () => {
  await caller.post('/api/v1/orders', { item: 'lamp' });
  await caller.post('/api/v1/orders', { item: 'lamp' });
  await place('lamp', 'lamp-1');
  await place('lamp', 'lamp-2');
  expect(timesPlaced('lamp')).toBe(4);
});

test.each([
  ['another order of its keys', '{"note":{"b":[1,{"y":2,"x":1}],"a":null},"item":"swing"}'],
  ['other whitespace', ' {\n "item" : "swing",\t"note": {"a": null, "b": [1.0, {"x": 1, "y": 2}]}} '],
  ['escaped characters', '{"item":"sw\\u0069ng","note":{"a":null,"b":[1,{"x":1,"y":2}]}}'],
])('a body with %s is the same request', async (_, text) => {
  const key = uniqueId();
  const send = (body: string) =>
    caller.request({
      method: 'POST',
      url: '/api/v1/orders',
      payload: body,
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
    });
  const first = await send('{"item":"swing","note":{"a":null,"b":[1,{"x":1,"y":2}]}}');
  const again = await send(text);
  expect({ body: again.body, replay: isReplay(again) }).toEqual({ body: first.body, replay: true });
  const other = await send('{"item":"swing","note":{"a":null,"b":[{"x":1,"y":2},1]}}');
  expect({ status: other.status, code: other.body.code }).toEqual({ status: 422, code: 'http.idempotency_mismatch' });
});

test('a deeply nested body can have a key', async () => {
  const body = `{"item":"nest","more":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const { status } = await caller.request({
    method: 'POST',
    url: '/api/v1/orders',
    payload: body,
    headers: { 'content-type': 'application/json', 'idempotency-key': uniqueId() },
  });
  expect(status).toBeLessThan(500);
});

test('the same key with another body or URL is 422 and does not run', async () => {
  await place('table', 'b');
  const other = await place('desk', 'b');
  expect({ status: other.status, code: other.body.code }).toEqual({ status: 422, code: 'http.idempotency_mismatch' });
  expect((await caller.post('/api/v1/orders?_x=1', { item: 'table' }, { 'idempotency-key': 'b' })).status).toBe(422);
  expect((await caller.post('/api/v1/nothing', { item: 'table' }, { 'idempotency-key': 'b' })).status).toBe(422);
  expect([timesPlaced('table'), timesPlaced('desk'), timesPlaced('nothing')]).toEqual([1, 0, 0]);
  expect(isReplay(await place('table', 'b'))).toBe(true);
});

test('a duplicate is 409 while the first request runs, and a replay afterwards', async () => {
  const { arrived, open } = holdOrders();
  const first = place('sofa', 'c');
  await arrived.promise;
  const early = await place('sofa', 'c');
  expect({ status: early.status, code: early.body.code }).toEqual({ status: 409, code: 'http.idempotency_busy' });
  expect((await place('bed', 'c')).status).toBe(422);
  gate = undefined;
  open.resolve();
  expect((await first).status).toBe(201);
  const late = await place('sofa', 'c');
  expect({ body: late.body, replay: isReplay(late) }).toEqual({ body: (await first).body, replay: true });
  expect([timesPlaced('sofa'), timesPlaced('bed')]).toEqual([1, 0]);
});

test('of twenty concurrent requests exactly one runs', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => place('stool', 'd')));
  expect(timesPlaced('stool')).toBe(1);
  const successes = answers.filter((answer) => answer.status === 201);
  expect(successes.filter((answer) => !isReplay(answer))).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(20 - successes.length);
  expect(new Set(successes.map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

test('a key belongs to one user in one tenant', async () => {
  const neighbour = acme.caller();
  const elsewhere = await platform.tenant();
  platform.identity.join(caller.user, elsewhere.id, []);
  const mine = await place('vase', 'e');
  const theirs = await place('vase', 'e', neighbour);
  const mineElsewhere = await caller.post(
    '/api/v1/orders',
    { item: 'vase' },
    { 'idempotency-key': 'e', 'x-tenant': elsewhere.id },
  );
  expect([mine, theirs, mineElsewhere].map(isReplay)).toEqual([false, false, false]);
  expect(timesPlaced('vase')).toBe(3);
  expect((await place('other', 'e', acme.caller())).status).toBe(201);
});

test.each([
  [500, new Error('broken')],
  [503, new Failure('test.away', 503, 'Come back later.')],
  [429, new Failure('test.limited', 429, 'Come back later.')],
  [409, new Failure('test.conflict', 409, 'That is taken.')],
])('only a success is stored: after %i the same key can be retried', async (expected, error) => {
  const before = timesPlaced('mirror');
  failure = error;
  expect((await place('mirror', `again-${expected}`)).status).toBe(expected);
  failure = undefined;
  const again = await place('mirror', `again-${expected}`);
  expect({ status: again.status, replay: isReplay(again) }).toEqual({ status: 201, replay: false });
  expect(timesPlaced('mirror')).toBe(before + 2);
});

test('after invalid input a corrected request may use the same key', async () => {
  const refused = await caller.post('/api/v1/orders', { item: 5 }, { 'idempotency-key': 'g' });
  expect({ status: refused.status, replay: isReplay(refused) }).toEqual({ status: 422, replay: false });
  expect((await place('candle', 'g')).status).toBe(201);
  expect(isReplay(await place('candle', 'g'))).toBe(true);
  expect(timesPlaced('candle')).toBe(1);
});

test('the key of an anonymous caller is ignored', async () => {
  const headers = { 'x-tenant': acme.id, 'idempotency-key': 'anonymous' };
  const post = () => platform.request({ method: 'POST', url: '/api/v1/open', headers });
  expect([await post(), await post()].map(isReplay)).toEqual([false, false]);
  expect(timesPlaced('open')).toBe(2);
});

test('the key of a signed-in caller counts for a public action', async () => {
  const post = () => caller.post('/api/v1/open', undefined, { 'idempotency-key': 'known' });
  expect([await post(), await post()].map(isReplay)).toEqual([false, true]);
  expect((await place('pen', 'known')).status).toBe(422);
});

test('an empty response is stored too', async () => {
  const post = () => caller.post('/api/v1/nothing', undefined, { 'idempotency-key': 'i' });
  expect(isReplay(await post())).toBe(false);
  const again = await post();
  expect({ status: again.status, body: again.body, replay: isReplay(again) }).toEqual({
    status: 200,
    body: '',
    replay: true,
  });
  expect(timesPlaced('nothing')).toBe(1);
});

test('a request that is refused before the action runs does not use up its key', async () => {
  const headers = { 'idempotency-key': 'j', 'x-tenant': acme.id, 'content-type': 'application/json' };
  const payload = '{"item":"rug"}';
  const request = { method: 'POST', url: '/api/v1/orders', payload, headers } as const;
  expect((await platform.request(request)).status).toBe(401);
  expect((await caller.request({ ...request, payload: '{"item":' })).status).toBe(400);
  expect((await caller.request(request)).status).toBe(201);
});

test('a key is ignored for other methods', async () => {
  const headers = { 'idempotency-key': 'k' };
  const reads = [await caller.get('/api/v1/orders', headers), await caller.get('/api/v1/orders', headers)];
  const changes = [
    await caller.patch('/api/v1/orders', undefined, headers),
    await caller.patch('/api/v1/orders', undefined, headers),
  ];
  expect([...reads, ...changes].map(isReplay)).toEqual([false, false, false, false]);
  expect([timesPlaced('read'), timesPlaced('changed')]).toEqual([2, 2]);
});

test.each(['', ' ', 'two words', 'é', 'x'.repeat(256), 'a\tb'])(
  'an invalid key is 422 and the action does not run: %j',
  async (key) => {
    const before = placed.length;
    const { status, body } = await place('shelf', key);
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['Idempotency-Key'] });
    expect(placed.length).toBe(before);
  },
);

test.each(["';DROP/**/TABLE/**/idempotency_keys;--", 'x'.repeat(255), '%00', '{"a":1}'])(
  'any visible ASCII text is a valid key: %s',
  async (key) => {
    expect(isReplay(await place('hook', key))).toBe(false);
    expect(isReplay(await place('hook', key))).toBe(true);
  },
);

test('a response is stored for 24 hours, and then the key can be used again', async () => {
  await place('bowl', 'l');
  await age('l', '23 hours 59 minutes');
  expect(isReplay(await place('bowl', 'l'))).toBe(true);
  await age('l', '1 minute 1 second');
  const second = await place('plate', 'l');
  expect({ status: second.status, replay: isReplay(second) }).toEqual({ status: 201, replay: false });
  expect(isReplay(await place('plate', 'l'))).toBe(true);
});

test('a response is replayed with the headers that the action has set', async () => {
  const [first, again] = [await place('tray', 'headers'), await place('tray', 'headers')];
  expect([first, again].map(({ headers }) => headers['x-extra'])).toEqual(['yes', 'yes']);
});

test('the change and its response are committed in one transaction', async () => {
  const { arrived, open } = holdOrders();
  const first = place('cup', 'together');
  await arrived.promise;
  const committed = () =>
    acme.db.rows(sql`
      SELECT p.xmin = k.xmin AS together FROM placed p, idempotency_keys k
      WHERE p.item = 'cup' AND k.key = 'together'`);
  expect(await committed()).toEqual([]);
  open.resolve();
  await first;
  expect(await committed()).toEqual([{ together: true }]);
});

test('a request that fails has changed nothing, whatever it did before', async () => {
  failure = new Failure('test.conflict', 409, 'That is taken.');
  expect((await place('jug', 'undone')).status).toBe(409);
  failure = undefined;
  expect(await placedRows('jug')).toBe(0);
});

test('a transaction that is retried after a serialization failure changes and answers once', async () => {
  serializationFailures = 2;
  const first = await place('ladle', 'serialized');
  expect({ status: first.status, left: serializationFailures }).toEqual({ status: 201, left: 0 });
  expect((await place('ladle', 'serialized')).body).toEqual(first.body);
  expect(await placedRows('ladle')).toBe(1);
});

test('a request that loses its connection frees its key at once, and its late answer is not stored', async () => {
  const { arrived, open } = holdOrders();
  const lost = place('clock', 'lost');
  await arrived.promise;
  gate = undefined;
  expect((await place('clock', 'lost')).status).toBe(409);
  await acme.db.run(sql`
    SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`);
  const taken = await place('clock', 'lost');
  expect(taken.status).toBe(201);
  open.resolve();
  expect((await lost).status).toBe(503);
  const later = await place('clock', 'lost');
  expect({ body: later.body, replay: isReplay(later) }).toEqual({ body: taken.body, replay: true });
  expect(await placedRows('clock')).toBe(1);
});

test('the change of an action with a file as its response is not committed under a key', async () => {
  const { status } = await caller.post('/api/v1/file', undefined, { 'idempotency-key': 'file' });
  expect({ status, placed: await placedRows('file') }).toEqual({ status: 500, placed: 0 });
});

describe('a request that changes the central database runs at most once', () => {
  const post = (key: string) => caller.post('/api/v1/platform-wide', undefined, { 'idempotency-key': key });

  test('its response is stored and replayed', async () => {
    const key = uniqueId();
    const first = await post(key);
    expect(await post(key)).toMatchObject({
      status: 200,
      body: first.body,
      headers: { 'idempotency-replayed': 'true' },
    });
  });

  test('a duplicate is 409 while it runs; after a minute without a sign of life it counts as interrupted, but its answer is still stored', async () => {
    const key = uniqueId();
    const { arrived, open } = holdOrders();
    const first = post(key);
    await arrived.promise;
    gate = undefined;
    expect(await post(key)).toMatchObject({ status: 409, body: { code: 'http.idempotency_busy' } });
    await age(key, '61 seconds', platform.kernel.central.db);
    expect(await post(key)).toMatchObject({ status: 409, body: { code: 'http.idempotency_interrupted' } });
    open.resolve();
    const { body } = await first;
    expect(await post(key)).toMatchObject({ status: 200, body, headers: { 'idempotency-replayed': 'true' } });
  });

  test('a request that runs for more than a minute does not count as interrupted', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const key = uniqueId();
    const { arrived, open } = holdOrders();
    const first = post(key);
    await arrived.promise;
    gate = undefined;
    await age(key, '61 seconds', platform.kernel.central.db);
    await vi.advanceTimersByTimeAsync(20_000);
    await eventually(async () =>
      expect(await post(key)).toMatchObject({ status: 409, body: { code: 'http.idempotency_busy' } }),
    );
    open.resolve();
    const { body } = await first;
    expect(await post(key)).toMatchObject({ status: 200, body, headers: { 'idempotency-replayed': 'true' } });
  });

  test('an answer that comes after the key has expired does not replace the stored one', async () => {
    const key = uniqueId();
    const { arrived, open } = holdOrders();
    const late = post(key);
    await arrived.promise;
    gate = undefined;
    await age(key, '25 hours', platform.kernel.central.db);
    const { body } = await post(key);
    open.resolve();
    expect((await late).body).not.toEqual(body);
    expect((await post(key)).body).toEqual(body);
  });

  test('a refusal frees the key; an error does not, because what it has changed is unknown', async () => {
    const key = uniqueId();
    failure = new Failure('test.conflict', 409, 'That is taken.');
    expect((await post(key)).body.code).toBe('test.conflict');
    failure = new Error('broken');
    expect((await post(key)).status).toBe(500);
    failure = undefined;
    expect(await post(key)).toMatchObject({ status: 409, body: { code: 'http.idempotency_busy' } });
  });
});

/** From now on every order waits at a gate until the gate is opened. */
function holdOrders() {
  const held = { arrived: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() };
  gate = held;
  onTestFinished(() => {
    gate = undefined;
    failure = undefined;
    held.open.resolve();
  });
  return held;
}

/** As if the request had been sent earlier by this time. */
async function age(key: string, by: string, db = acme.db): Promise<void> {
  const aged = await db.run(sql`
    UPDATE idempotency_keys SET expires_at = expires_at - ${by}::interval WHERE key = ${key}`);
  expect(aged).toBeGreaterThan(0);
}
