import { randomBytes } from 'node:crypto';
import { action, sql } from '@chowk/kit/kernel';
import { expect, inject, test } from 'vitest';
import { chowkd, chowkdProcess, serve, temporaryFolder } from '../testing/chowkd.ts';
import { startPlatform } from '../testing/platform.ts';
import { Connection } from './db/connection.ts';
import { serveCommand } from './serve.ts';

const { port, user, password } = inject('server');
const database = `central_${randomBytes(5).toString('hex')}`;
const DATABASE_URL = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60_000 };

test('SIGTERM ends npm start with all its processes, after the response to a request in flight', async () => {
  const environment = { STORAGE_PATH: await temporaryFolder(), DATABASE_URL };
  const { url, child, stop } = await serve(environment, 'npm start');
  // A sign-in waits for this lock.
  const connection = await Connection.open(inject('server'), database, limits);
  await connection.script('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
  const signIn = fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'asha@example.com', password: 'correct horse' }),
  });
  const waiting = sql`SELECT FROM pg_locks WHERE NOT granted AND relation = 'users'::regclass`;
  await expect.poll(async () => (await connection.query(waiting)).rowCount).toBeGreaterThan(0);
  const stopped = stop('SIGTERM');
  await expect.poll(() => fetch(url).catch(({ cause }) => cause.code)).toBe('ECONNREFUSED');
  // A terminal sends the signal to all processes, and npm forwards it once more.
  process.kill(-(child.pid as number), 'SIGTERM');
  await connection.script('ROLLBACK');
  await connection.close();
  expect((await signIn).status).toBe(422);
  const { out } = await stopped;
  expect(out).toContain(`Not installed yet: open ${url}/install or run ./chowkd install in a second terminal\n`);
  // Signal 0 only asks whether the process group has a process.
  expect(() => process.kill(-(child.pid as number), 0)).toThrow('ESRCH');
});

test('the command ends only after the response to a request in flight', async () => {
  const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = action({
    summary: 'Test',
    http: 'GET /wait',
    public: true,
    tenant: 'none',
    run: async () => {
      arrived.resolve();
      await gate.promise;
      return {};
    },
  });
  const { kernel } = await startPlatform({ actions: { 'test.wait': wait } });
  const ready = Promise.withResolvers<string>();
  const before = process.rawListeners('SIGTERM');
  const session = {
    config: { ...kernel.config, databaseUrl: DATABASE_URL },
    environment: {},
    kernel: async () => kernel,
    say: (line: string) => ready.resolve(line),
    progress() {},
    table() {},
    ask: async () => undefined,
    bootOn: () => Promise.reject(new Error('not used')),
  };
  let hasEnded = false;
  const ended = serveCommand.run(session, { positionals: [], options: {} }).then(() => {
    hasEnded = true;
  });
  const url = /ready at (\S+)/.exec(await ready.promise)?.[1] as string;
  const answer = fetch(`${url}/api/v1/wait`);
  await arrived.promise;
  const [stop] = process.rawListeners('SIGTERM').filter((listener) => !before.includes(listener));
  stop?.('SIGTERM');
  await expect.poll(() => fetch(url).catch(({ cause }) => cause.code)).toBe('ECONNREFUSED');
  expect(hasEnded).toBe(false);
  gate.resolve();
  expect((await answer).status).toBe(200);
  await ended;
});

test('a process with another key is refused at the start', async () => {
  const APP_KEY = randomBytes(32).toString('base64');
  const environment = { STORAGE_PATH: await temporaryFolder(), DATABASE_URL, APP_KEY };
  expect((await chowkd(['tenant:list'], environment)).err).toMatch(/^chowkd: this process has another key .*\n$/);
});

test('a process whose clock is wrong is refused at the start', async () => {
  const shift =
    'const { now } = Date; globalThis.Date = class extends Date { constructor(...args) { super(...(args.length > 0 ? args : [now() - 90_000])); } };';
  const environment = { STORAGE_PATH: await temporaryFolder(), DATABASE_URL };
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shift)}`;
  const { code, err } = await chowkdProcess(['serve'], { ...environment, NODE_OPTIONS });
  expect(code).toBe(1);
  expect(err).toMatch(
    /^chowkd: DATABASE_URL .*: the clock of this machine is (89|9\d) seconds behind that of .* NTP\n$/,
  );
});
