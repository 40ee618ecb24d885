import type { Caller } from '@chowk/kit/kernel';
import { action, job, Line, signedIn, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestResponse } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';

/* REST and the bus authorize every call in the same way. */

const access = {
  permission: { needs: 'shop.sell' },
  either: { needs: ['shop.own', 'shop.sell'] },
  signedIn: { needs: signedIn },
  public: { public: true },
} as const;
type Kind = keyof typeof access;
const kinds = Object.keys(access) as Kind[];

const sell = (kind: Kind) =>
  action({
    summary: 'Sell',
    http: `POST /shop/${kind}`,
    ...access[kind],
    bus: { rateLimit: 6_000 },
    input: Type.Object({ sku: Line(5), quantity: Type.Integer({ minimum: 1 }) }),
    run: async (ctx, input) => ({ sold: input, by: ctx.userId ?? null, tenant: ctx.tenant.id }),
  });

const done: unknown[] = [];
const platform = await startPlatform({
  modules: [
    testModule({ alias: 'shop', actions: Object.fromEntries(kinds.map((kind) => [`shop.${kind}`, sell(kind)])) }),
    testModule({
      alias: 'door',
      consumes: kinds.map((kind) => `shop.${kind}`),
      // Public, so that only the bus checks the caller.
      actions: {
        'door.call': action({
          summary: 'Call an action of the shop',
          http: 'POST /door/:kind',
          public: true,
          input: Type.Object({ kind: Type.String() }, { additionalProperties: true }),
          errors: ['auth.unauthenticated', 'auth.not_a_member', 'auth.forbidden'],
          run: (ctx, { kind, ...input }) => ctx.bus.call(`shop.${kind}` as never, input as never),
        }),
      },
      jobs: {
        'door.sell': job({
          data: Type.Unknown(),
          run: async (ctx) => {
            done.push(await ctx.bus.call('shop.permission' as never, { sku: 'TEA', quantity: 1 } as never));
          },
        }),
      },
    }),
  ],
});
const shop = await platform.tenant();
const without = await platform.tenant();
await platform.kernel.installations.set(without.id, 'shop', 'disabled');

type Headers = Record<string, string>;

/** The token of a user with the permissions in both tenants, or of a member of neither. */
function tokenHeaders(permissions?: readonly string[], change: Partial<Caller> = {}): Headers {
  const { caller, token } = platform.identity.mint();
  Object.assign(caller, change);
  if (permissions) for (const { id } of [shop, without]) platform.identity.join(caller, id, permissions);
  return { authorization: `Bearer ${token}` };
}

const apiClient = { id: 'c', kind: 'client', scopes: undefined, authenticatedAt: 0 } as const;
const callers: Record<string, Headers> = {
  anonymous: {},
  'a wrong token': { authorization: 'Bearer of-bad-news' },
  'a stranger': tokenHeaders(),
  'a member without the permission': tokenHeaders(['shop.see']),
  'a member with the permission': tokenHeaders(['shop.sell']),
  'a member with the other permission': tokenHeaders(['shop.own']),
  'an API client with the permission': tokenHeaders(['shop.sell'], { session: apiClient }),
};

const ok = [200, undefined] as const;
const unauthenticated = [401, 'auth.unauthenticated'] as const;
const notAMember = [403, 'auth.not_a_member'] as const;
const forbidden = [403, 'auth.forbidden'] as const;
const notInstalled = [404, 'modules.not_installed'] as const;

/** The expected response by caller and kind of action, and (`absent`) without the module. */
const expected: Record<keyof typeof callers, Record<Kind, readonly [number, string | undefined]> & { absent: object }> =
  {
    anonymous: {
      permission: unauthenticated,
      either: unauthenticated,
      signedIn: unauthenticated,
      public: ok,
      absent: unauthenticated,
    },
    'a wrong token': {
      permission: unauthenticated,
      either: unauthenticated,
      signedIn: unauthenticated,
      public: ok,
      absent: unauthenticated,
    },
    'a stranger': { permission: notAMember, either: notAMember, signedIn: notAMember, public: ok, absent: notAMember },
    'a member without the permission': {
      permission: forbidden,
      either: forbidden,
      signedIn: ok,
      public: ok,
      absent: notInstalled,
    },
    'a member with the permission': { permission: ok, either: ok, signedIn: ok, public: ok, absent: notInstalled },
    'a member with the other permission': {
      permission: forbidden,
      either: ok,
      signedIn: ok,
      public: ok,
      absent: notInstalled,
    },
    'an API client with the permission': { permission: ok, either: ok, signedIn: ok, public: ok, absent: notInstalled },
  };

function send(path: string, tenantId: string, headers: Headers, payload: object): Promise<TestResponse> {
  return platform.request({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { ...headers, 'x-tenant': tenantId },
    payload,
  });
}

const transports = { rest: (kind: Kind) => `/shop/${kind}`, bus: (kind: Kind) => `/door/${kind}` };
const cases = Object.keys(callers).flatMap((who) =>
  kinds.flatMap((kind) => [true, false].map((isInstalled) => ({ who, kind, isInstalled }))),
);

test.each(cases)('$who and $kind, module enabled $isInstalled: REST and the bus decide alike', async (one) => {
  const { who, kind, isInstalled } = one;
  const tenant = isInstalled ? shop : without;
  const input = { sku: 'TEA', quantity: 2 };
  const [rest, bus] = await Promise.all(
    Object.values(transports).map((path) => send(path(kind), tenant.id, callers[who] as Headers, input)),
  );
  const expectedResponse = isInstalled
    ? expected[who]?.[kind]
    : kind === 'public'
      ? notInstalled
      : expected[who]?.absent;
  for (const answer of [rest, bus]) expect([answer?.status, answer?.body.code]).toEqual(expectedResponse);
  expect(bus?.body).toEqual(rest?.body);
  if (rest?.status === 200) expect(rest.body).toMatchObject({ sold: input, tenant: tenant.id });
});

test.each([
  {},
  { sku: '', quantity: 0 },
  { sku: 'far too long', quantity: '1' },
  { sku: null, quantity: 1.5, extra: 1 },
])('invalid input gets the same errors over REST and the bus: %j', async (input) => {
  const member = callers['a member with the permission'] as Headers;
  const rest = await send('/shop/permission', shop.id, member, input);
  const bus = await send('/door/permission', shop.id, member, input);
  expect(rest).toMatchObject({ status: 422, body: { code: 'http.validation_failed' } });
  expect({ status: bus.status, body: bus.body }).toEqual({ status: rest.status, body: rest.body });
});

test('input is normalized alike: trimmed, and without unknown fields', async () => {
  const member = callers['a member with the permission'] as Headers;
  for (const path of Object.values(transports)) {
    const { body } = await send(path('permission'), shop.id, member, { sku: ' TEA ', quantity: 1, more: 1 });
    expect(body.sold).toEqual({ sku: 'TEA', quantity: 1 });
  }
});

test('a missing permission is reported before invalid input', async () => {
  const member = callers['a member without the permission'] as Headers;
  for (const path of Object.values(transports)) {
    expect((await send(path('permission'), shop.id, member, { sku: 5 })).body.code).toBe('auth.forbidden');
  }
});

test('a job needs no permission and has no user', async () => {
  await platform.kernel.work();
  await platform.kernel.jobs.add({ job: 'door.sell', tenant: shop.id, data: {}, requestId: 'test' });
  await expect.poll(() => done).toEqual([{ sold: { sku: 'TEA', quantity: 1 }, by: null, tenant: shop.id }]);
  await platform.kernel.audit.flush();
  const [line] = await shop.db.rows(sql`
    SELECT user_id, module, transport FROM module_bus_audit_log WHERE request_id = 'test'`);
  expect(line).toEqual({ user_id: null, module: 'door', transport: 'bus' });
});
