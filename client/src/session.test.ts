import { generate } from 'otplib';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { makeClient } from '../../server/testing/oauth.ts';
import { getPort } from '../../server/testing/raw-http.ts';
import { type Front, startFront } from '../testing/front.ts';
import { type Client, createClient, memoryTokens, NetworkError, type TokenStore, type Tokens } from './client.ts';

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const acme = await platform.tenant();

async function signedIn() {
  const front = await startFront(`http://127.0.0.1:${getPort(platform.app)}`);
  const person = await platform.person({ tenant: acme });
  const tokens = memoryTokens();
  const chowk = createClient({ url: front.url, tenant: acme.id, tokens });
  await chowk.signIn(person);
  front.requests.length = 0;
  return { front, person, tokens, chowk };
}

/** Makes the stored access token look expired, or one that the platform refuses. */
async function change(tokens: TokenStore, changes: Partial<Tokens>): Promise<void> {
  await tokens.set({ ...((await tokens.get()) as Tokens), ...changes });
}
const expired = { expiresAt: Date.now() - 1_000 };
const refused = { accessToken: 'no-longer-valid' };

const countRequests = ({ requests }: Front, path: string) => requests.filter((request) => request.path === path).length;
const refreshes = (front: Front) => countRequests(front, '/api/v1/auth/refresh');

test.each([
  ['has expired', expired],
  ['is refused', refused],
])('fifty callers whose token %s share one refresh, and all succeed', async (_, changes) => {
  const { front, person, tokens, chowk } = await signedIn();
  await change(tokens, changes);
  const users = await Promise.all(Array.from({ length: 50 }, () => chowk.auth.me()));
  expect(users.every(({ id }) => id === person.id)).toBe(true);
  expect(refreshes(front)).toBe(1);
});

/** What tabs of a browser have in common. */
function sharedStore(): TokenStore {
  let stored: string | undefined;
  return {
    get: async () => stored && JSON.parse(stored),
    set: async (tokens) => {
      stored = JSON.stringify(tokens);
    },
    clear: async () => {
      stored = undefined;
    },
  };
}

test('tabs that share a session refresh it once', async () => {
  const { front, tokens } = await signedIn();
  const store = sharedStore();
  await store.set((await tokens.get()) as Tokens);
  const tabs = [1, 2, 3].map(() => createClient({ url: front.url, tenant: acme.id, tokens: store }));
  for (const changes of [expired, refused]) {
    front.requests.length = 0;
    await change(store, changes);
    await Promise.all(tabs.map((chowk) => chowk.auth.me()));
    expect(refreshes(front)).toBe(1);
  }
});

test('a store with a lock of its own refreshes and forgets its tokens inside of it', async () => {
  const { front, tokens } = await signedIn();
  const store = sharedStore();
  await store.set((await tokens.get()) as Tokens);
  await change(store, expired);
  let running = 0;
  let runs = 0;
  let last: Promise<unknown> = Promise.resolve();
  // Two clients that share nothing but the store, as two processes do.
  const locked: TokenStore = {
    ...store,
    set: async (next) => {
      expect(running).toBe(1);
      await store.set(next);
    },
    lock<Result>(run: () => Promise<Result>): Promise<Result> {
      const result = last.then(async () => {
        running += 1;
        runs += 1;
        return run().finally(() => {
          running -= 1;
        });
      });
      last = result.catch(() => {});
      return result;
    },
  };
  const [one, other] = [1, 2].map(() => createClient({ url: front.url, tenant: acme.id, tokens: locked })) as [
    Client,
    Client,
  ];
  await Promise.all([one.auth.me(), other.auth.me()]);
  expect({ refreshes: refreshes(front), runs }).toEqual({ refreshes: 1, runs: 2 });
  await one.signOut();
  expect(runs).toBe(3);
});

test('a session that has ended is forgotten, and the call is refused', async () => {
  const { front, person, tokens, chowk } = await signedIn();
  await person.delete('/api/v1/profile/sessions');
  await expect(chowk.auth.me()).rejects.toMatchObject({ status: 401, code: 'auth.unauthenticated' });
  expect(await tokens.get()).toBeUndefined();
  await expect(chowk.auth.me()).rejects.toMatchObject({ status: 401 });
  expect(refreshes(front)).toBe(1);
});

test('a refresh that does not reach the platform fails the calls and keeps the session', async () => {
  const { front, person, tokens, chowk } = await signedIn();
  await change(tokens, expired);
  front.faults.push({ status: 503 });
  const calls = await Promise.allSettled(Array.from({ length: 50 }, () => chowk.auth.me({}, { retries: 0 })));
  for (const call of calls) expect(call).toMatchObject({ status: 'rejected', reason: { status: 503 } });
  expect(refreshes(front)).toBe(1);
  expect((await chowk.auth.me()).id).toBe(person.id);
  await change(tokens, expired);
  const offline = createClient({ url: 'http://127.0.0.1:1', tokens, retries: 0 });
  await expect(offline.auth.me()).rejects.toThrow(NetworkError);
  expect((await chowk.auth.me()).id).toBe(person.id);
});

test.each([
  ['has expired', expired, []],
  ['is refused', refused, ['none']],
] as const)('a refresh that fails is not repeated with the call whose token %s', async (_, changes, before) => {
  const { front, tokens, chowk } = await signedIn();
  await change(tokens, changes);
  front.faults.push(...before, { status: 503 });
  await expect(chowk.auth.me()).rejects.toMatchObject({ status: 503 });
  expect(refreshes(front)).toBe(1);
});

test('a tab without a lock uses the tokens of another one that has refreshed them before', async () => {
  const { front, person, tokens, chowk } = await signedIn();
  const { promise: delayedUntil, resolve: release } = Promise.withResolvers<void>();
  await change(tokens, { refreshToken: 'used-by-the-other-tab', ...expired });
  front.faults.push({ delayedUntil });
  const call = chowk.auth.me();
  await front.arrival(1);
  const { accessToken, refreshToken } = person;
  await tokens.set({ accessToken, refreshToken, expiresAt: Date.now() + 600_000 });
  release();
  expect((await call).id).toBe(person.id);
});

test('the tokens of a response other than that of signing in are kept', async () => {
  const { front, person } = await signedIn();
  const chowk = createClient({ url: front.url, tenant: acme.id });
  expect(await chowk.subscriptionOptions().connectionParams()).toEqual({ 'X-Tenant': acme.id });
  await chowk.keepTokens({ access_token: person.accessToken, refresh_token: person.refreshToken, expires_in: 600 });
  expect((await chowk.auth.me()).id).toBe(person.id);
  expect(await chowk.subscriptionOptions().connectionParams()).toEqual({
    Authorization: `Bearer ${person.accessToken}`,
    'X-Tenant': acme.id,
  });
});

test('a caller who gives up does not end the refresh that others wait for', async () => {
  const { front, person, tokens, chowk } = await signedIn();
  const { promise: delayedUntil, resolve: release } = Promise.withResolvers<void>();
  await change(tokens, expired);
  front.faults.push({ delayedUntil });
  const controller = new AbortController();
  const impatient = chowk.auth.me({}, { signal: controller.signal });
  const patient = chowk.auth.me();
  await front.arrival(1);
  controller.abort();
  await expect(impatient).rejects.toMatchObject({ name: 'AbortError' });
  release();
  expect((await patient).id).toBe(person.id);
  expect(refreshes(front)).toBe(1);
});

test('signing in as another user is not undone by a refresh under way', async () => {
  const { front, tokens, chowk } = await signedIn();
  const { promise: delayedUntil, resolve: release } = Promise.withResolvers<void>();
  const other = await platform.person({ tenant: acme });
  await change(tokens, expired);
  front.faults.push({ delayedUntil });
  const call = chowk.auth.me();
  await front.arrival(1);
  await Promise.all([call, chowk.signIn(other, { onResponse: () => release() })]);
  expect((await chowk.auth.me()).id).toBe(other.id);
});

test('signing out ends the session on the platform, also during a refresh', async () => {
  const { person, tokens, chowk } = await signedIn();
  const sessions = async () => (await person.get('/api/v1/profile/sessions')).body.sessions.length;
  expect(await sessions()).toBe(2);
  await change(tokens, expired);
  const [, signedOut] = await Promise.allSettled([chowk.auth.me(), chowk.signOut()]);
  expect(signedOut.status).toBe('fulfilled');
  expect(await tokens.get()).toBeUndefined();
  expect(await sessions()).toBe(1);
});

test('signing out without a connection still deletes the tokens', async () => {
  const { tokens } = await signedIn();
  const offline = createClient({ url: 'http://127.0.0.1:1', tokens });
  await expect(offline.signOut()).rejects.toThrow(NetworkError);
  expect(await tokens.get()).toBeUndefined();
});

test('two-factor authentication is an outcome of signing in, wrong credentials are an error', async () => {
  const { person, chowk } = await signedIn();
  const { secret } = await chowk.twoFactor.begin();
  await chowk.twoFactor.confirm({ otp: await generate({ secret }) });
  await chowk.signOut();
  expect(await chowk.signIn(person)).toEqual({ signedIn: false, reason: 'two_factor_required' });
  await expect(chowk.signIn({ ...person, password: 'wrong' })).rejects.toMatchObject({
    status: 422,
    fields: { email: [{ message: expect.any(String) }] },
  });
  const epoch = Math.floor(Date.now() / 1_000) + 30;
  const outcome = await chowk.signIn({ ...person, otp: await generate({ secret, epoch }) });
  expect(outcome).toMatchObject({ signedIn: true, user: { id: person.id, two_factor_enabled: true } });
  expect((await chowk.auth.me()).id).toBe(person.id);
});

test('an API client requests tokens with its secret, and new ones when they are refused', async () => {
  const { front, person } = await signedIn();
  const { id, secret } = await makeClient(person, ['orders.view']);
  const tokens = memoryTokens();
  const chowk = createClient({ url: front.url, tenant: acme.id, tokens, apiClient: { id, secret } });
  await Promise.all([chowk.orders.list(), chowk.orders.list()]);
  expect(countRequests(front, '/oauth/token')).toBe(1);
  for (const changes of [expired, refused]) {
    await change(tokens, changes);
    await chowk.orders.list();
  }
  expect(countRequests(front, '/oauth/token')).toBe(3);
  const wrong = createClient({ url: front.url, tenant: acme.id, apiClient: { id, secret: 'wrong' } });
  await expect(wrong.orders.list()).rejects.toMatchObject({ code: 'identity.invalid_client' });
});

test('a personal access token is sent as it is and never refreshed', async () => {
  const { front, person, chowk } = await signedIn();
  const { access_token: token } = await chowk.profile.createToken({ name: 'Till' });
  const till = createClient({ url: front.url, tenant: acme.id, tokens: memoryTokens({ accessToken: token }) });
  expect((await till.auth.me()).id).toBe(person.id);
  const stranger = createClient({ url: front.url, tenant: acme.id, tokens: memoryTokens(refused) });
  await expect(stranger.auth.me()).rejects.toMatchObject({ code: 'auth.unauthenticated' });
  expect(refreshes(front)).toBe(0);
});
