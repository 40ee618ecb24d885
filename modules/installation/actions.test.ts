import { raw } from '@chowk/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { uniqueId } from '../../server/testing/platform.ts';
import { ownerForm, permissionCount, startWizard } from '../../server/testing/wizard.ts';
import { getAccounts } from '../identity/accounts/accounts.ts';
import { createUser } from '../identity/accounts/users.ts';
import { greeting } from './greeting.ts';

const posts = ['setup-database', 'seed-data', 'owner'] as const;

test('the wizard installs the platform over HTTP, and the owner can sign in', async () => {
  const wizard = await startWizard({ keyAtHand: false, identity: undefined });
  for (const url of ['/api/v1/install/nothing', '/api/v1/installation']) {
    expect((await wizard.request({ url })).status).toBe(404);
  }
  expect((await wizard.request({ method: 'PUT', url: '/api/v1/install/status' })).status).toBe(405);
  expect(await wizard.get('status')).toMatchObject({
    status: 200,
    body: {
      installed: false,
      current_step: 1,
      steps: { requirements: 'pending', database: 'pending', seed: 'pending', owner: 'pending' },
    },
  });

  const requirements = await wizard.get('check-requirements');
  expect(requirements).toMatchObject({ status: 200, body: { passed: true } });
  for (const requirement of requirements.body.requirements) {
    expect(requirement).toEqual({
      key: expect.stringMatching(/^[a-z_]+$/),
      label: expect.stringMatching(/./),
      passed: true,
      detail: expect.stringMatching(/./),
    });
  }
  expect((await wizard.get('status')).body).toMatchObject({ current_step: 2, steps: { requirements: 'completed' } });

  expect(await wizard.post('setup-database')).toMatchObject({
    status: 200,
    body: { message: expect.any(String), applied: 0, skipped: expect.any(Number), keys_created: true },
  });
  expect((await wizard.get('status')).body).toMatchObject({ current_step: 3, steps: { database: 'completed' } });

  expect(await wizard.post('seed-data')).toMatchObject({
    status: 200,
    body: {
      message: expect.any(String),
      roles: 5,
      permissions: permissionCount(wizard),
      modules: wizard.kernel.modules.length,
      settings: 4,
    },
  });
  expect((await wizard.get('status')).body).toMatchObject({
    current_step: 4,
    steps: { requirements: 'completed', database: 'completed', seed: 'completed', owner: 'pending' },
  });

  const form = ownerForm({ email: 'Asha.Rao@Example.com' });
  const owner = await wizard.post('owner', { ...form, timezone: 'Europe/Berlin' });
  expect(owner).toMatchObject({
    status: 201,
    body: {
      message: expect.any(String),
      tenant_id: form.organization_slug,
      user: {
        id: expect.any(Number),
        name: 'Asha Rao',
        email: 'asha.rao@example.com',
        email_verified: true,
        two_factor_enabled: false,
      },
      country: 'DE',
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      redirect: '/login',
    },
  });
  expect(await wizard.kernel.settings.get(form.organization_slug)).toMatchObject({
    'general.country': 'DE',
    'general.currency': 'EUR',
    'general.timezone': 'Europe/Berlin',
  });
  expect(await wizard.marker()).toEqual({
    installed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    version: '1.0.0',
  });
  const tenant = await wizard.kernel.directory.find(form.organization_slug);
  expect(tenant).toMatchObject({ name: 'Acme Stores', role: 'platform_owner' });
  expect(await getAccounts(wizard.kernel.services).memberships.listTenants(owner.body.user.id)).toEqual([
    { id: form.organization_slug, name: 'Acme Stores', role: 'Owner', domain: form.organization_slug },
  ]);

  for (const path of ['status', 'check-requirements'] as const) expect(await wizard.get(path)).toMatchObject(installed);
  // The input is not validated any more.
  for (const path of posts) expect(await wizard.post(path, { email: 7 })).toMatchObject(installed);
  for (const url of ['/api/v1/install', '/api/v1/install/', '/api/v1/install/nothing', '/api/v1/install/a/b?c=d']) {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      expect(await wizard.request({ method, url }), `${method} ${url}`).toMatchObject(installed);
    }
  }
  const wrongMethod = await wizard.request({ method: 'PUT', url: '/api/v1/install/status', payload: '{' });
  expect(wrongMethod).toMatchObject(installed);
  expect(await greeting(wizard.ctx, 'http://localhost:8080')).toEqual(['Sign in at http://localhost:8080/login']);

  const login = { email: form.email, password: form.password };
  const signedIn = await wizard.request({ method: 'POST', url: '/api/v1/auth/login', payload: login });
  expect(signedIn).toMatchObject({ status: 200, body: { token_type: 'Bearer', user: { email_verified: true } } });
  const headers = { authorization: `Bearer ${signedIn.body.access_token}`, 'x-tenant': form.organization_slug };
  const me = await wizard.request({ url: '/api/v1/auth/me', headers });
  expect(me).toMatchObject({ status: 200, body: { email: 'asha.rao@example.com', role: 'Owner' } });
  // The first tenant is the platform owner: every permission has an effect there.
  expect(me.body.permissions).toHaveLength(permissionCount(wizard));
  expect((await wizard.request({ url: '/api/v1/products', headers })).status).toBe(200);
});

const installed = {
  status: 403,
  body: { message: expect.any(String), code: 'installation.installed', redirect: '/login' },
};

test('a step out of order is 409 with the current step, which the status also returns', async () => {
  const wizard = await startWizard();
  const refusals = async (step: number) => {
    expect((await wizard.get('status')).body.current_step).toBe(step);
    for (const path of posts.slice(step - 1)) {
      expect(await wizard.post(path, ownerForm()), path).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining(`step ${step}`), current_step: step },
      });
    }
  };
  await refusals(1);
  await wizard.get('check-requirements');
  const next = await startWizard({ sharedWith: wizard });
  expect((await next.get('status')).body.current_step).toBe(2);
  expect((await next.post('seed-data')).status).toBe(409);
  expect((await next.post('owner', {})).status).toBe(409);
  await next.post('setup-database');
  expect((await wizard.get('status')).body.current_step).toBe(3);
  expect(await wizard.post('owner', {})).toMatchObject({ status: 409, body: { current_step: 3 } });
});

test('repeating steps changes nothing', async () => {
  const wizard = await startWizard();
  await wizard.untilOwner();
  const before = await wizard.counts();
  const published = await getAccounts(wizard.kernel.services).keys.list();
  await wizard.get('check-requirements');
  const again = await wizard.post('setup-database');
  expect(again.body).toMatchObject({ applied: 0, keys_created: false });
  await wizard.post('seed-data');
  expect(await wizard.counts()).toEqual(before);
  expect(await getAccounts(wizard.kernel.services).keys.list()).toEqual(published);
  expect(before).toMatchObject({
    users: 0,
    tenants: 0,
    roles: 5,
    permissions: permissionCount(wizard),
    signing_keys: 1,
    oauth_clients: 3,
  });
});

test('concurrent database set-ups create one key and one client of personal access tokens', async () => {
  const wizard = await startWizard({ keyAtHand: false });
  await wizard.get('check-requirements');
  const answers = await Promise.all(Array.from({ length: 4 }, () => wizard.post('setup-database')));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers.filter(({ body }) => body.keys_created)).toHaveLength(1);
  expect(await wizard.counts()).toMatchObject({ signing_keys: 1, oauth_clients: 3 });
});

describe('with INSTALL_TOKEN set', async () => {
  const token = 'a-long-install-token';
  const wizard = await startWizard({ environment: { INSTALL_TOKEN: token } });

  test.each([
    ['none', undefined],
    ['a wrong one', 'a-long-install-tokem'],
    ['a part of it', 'a-long'],
    ['an empty one', ''],
  ])('every POST with %s is 403', async (_, token) => {
    for (const path of posts) {
      const headers = token === undefined ? {} : { 'x-install-token': token };
      expect(await wizard.post(path, ownerForm(), headers), path).toMatchObject({
        status: 403,
        body: { code: 'installation.token_required', message: expect.stringContaining('X-Install-Token') },
      });
    }
  });

  test('a GET needs no token, and a POST with it succeeds', async () => {
    expect((await wizard.get('status')).status).toBe(200);
    expect((await wizard.get('check-requirements')).status).toBe(200);
    await wizard.untilOwner();
    expect((await wizard.post('owner', ownerForm(), { 'x-install-token': token })).status).toBe(201);
    expect(await wizard.post('owner', ownerForm())).toMatchObject(installed);
  });
});

describe('without INSTALL_TOKEN', async () => {
  const local = await startWizard();
  // In production modules must match the lock file, which may be outdated during development.
  const environment = { APP_ENV: 'production', APP_URL: 'https://chowk.example', BASE_DOMAIN: 'chowk.example' };
  const { modules } = local.kernel;
  const production = await startWizard({ environment, modules, sharedWith: local });

  test('production needs the token that the server prints when it starts, in every process the same', async () => {
    const [next, line] = await greeting(production.ctx, 'https://chowk.example');
    expect(next).toBe(
      'Not installed yet: open https://chowk.example/install or run ./chowkd install in a second terminal',
    );
    const token = /^Install token: ([\w-]{24})$/.exec(line ?? '')?.[1] ?? '';
    const other = await startWizard({ environment, modules, sharedWith: local });
    for (const { post } of [production, other]) {
      for (const path of posts) {
        expect(await post(path, ownerForm()), path).toMatchObject({ status: 403, body: tokenRequired });
        expect((await post(path, ownerForm(), { 'x-install-token': token })).status, path).toBe(409);
      }
    }
  });

  test('on the own machine no token is needed or printed', async () => {
    expect(await greeting(local.ctx, 'http://localhost:8080')).toEqual([
      'Not installed yet: open http://localhost:8080/install or run ./chowkd install in a second terminal',
    ]);
    expect((await local.post('setup-database')).status).toBe(409);
  });

  test.each([
    ['another machine', '198.51.100.1', {}],
    ['another machine through a proxy', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }],
    ['another machine through a proxy with a Forwarded header', '::1', { forwarded: 'for=198.51.100.1' }],
  ])('a request from %s needs the token', async (_, remoteAddress, headers) => {
    const url = '/api/v1/install/setup-database';
    expect(await local.request({ method: 'POST', url, remoteAddress, headers })).toMatchObject({
      status: 403,
      body: tokenRequired,
    });
  });
});

const tokenRequired = { code: 'installation.token_required', message: expect.stringContaining('X-Install-Token') };

describe('a web page', async () => {
  const wizard = await startWizard({ environment: { APP_URL: 'https://chowk.example', BASE_DOMAIN: 'shops.example' } });
  const routes = [
    ['GET', 'status'],
    ['GET', 'check-requirements'],
    ...posts.map((path) => ['POST', path] as const),
    ['GET', 'nothing'],
  ] as const;
  const open = ([method, path]: (typeof routes)[number], headers: Record<string, string>) =>
    wizard.request({ method, url: `/api/v1/install/${path}`, headers });

  test.each([
    ['with a foreign origin', { origin: 'https://evil.example' }],
    ['with another port', { host: 'localhost:8080', origin: 'http://localhost:3000' }],
    ['without an origin of its own', { origin: 'null' }],
    ['whose host resolves to this machine', { host: 'evil.example:8080' }],
    ['whose host resolves to this machine, with its origin', { host: 'evil.example', origin: 'http://evil.example' }],
    ['whose host looks similar', { host: 'shops.example.evil.example' }],
  ])('%s cannot use the installation', async (_, headers) => {
    for (const route of routes) {
      expect(await open(route, headers), route.join(' ')).toMatchObject({
        status: 403,
        body: { code: 'installation.foreign', message: expect.stringContaining('https://chowk.example') },
      });
    }
  });

  test.each([
    { host: 'chowk.example', origin: 'https://chowk.example' },
    { host: 'localhost:8080', origin: 'http://localhost:8080' },
    { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' },
    { host: '[::1]:8080' },
    { host: '192.0.2.7' },
    { host: 'shops.example' },
    { host: 'acme.shops.example', origin: 'https://acme.shops.example' },
  ])('of the platform can use it: %j', async (headers) => {
    expect((await open(['GET', 'status'], headers)).status).toBe(200);
  });
});

test('an Idempotency-Key of an anonymous caller is ignored: posting the owner again is 403', async () => {
  const wizard = await startWizard();
  await wizard.untilOwner();
  const form = ownerForm();
  const key = { 'idempotency-key': 'once' };
  expect((await wizard.post('owner', form, key)).status).toBe(201);
  const again = await wizard.post('owner', form, key);
  expect(again).toMatchObject(installed);
  expect(again.headers['idempotency-replayed']).toBeUndefined();
});

describe('an invalid owner', async () => {
  const wizard = await startWizard();
  await wizard.untilOwner();
  let before: Record<string, number> = {};
  beforeEach(async () => {
    before = await wizard.counts();
  });

  const fields = Object.keys(ownerForm());
  const cases: [string, string, unknown][] = [
    ...fields.map((field): [string, string, unknown] => ['is missing', field, undefined]),
    ...fields.map((field): [string, string, unknown] => ['is a number', field, 7]),
    ...fields.map((field): [string, string, unknown] => ['is null', field, null]),
    ['is unknown', 'country', 'ZZ'],
    ['is a name', 'country', 'Germany'],
    ['is unknown', 'currency', 'ABC'],
    ['is unknown', 'timezone', 'Mars/Base'],
    ['is empty', 'organization_name', ''],
    ['is blank', 'organization_name', '   '],
    ['is too long', 'organization_name', 'a'.repeat(256)],
    ['has a control character', 'organization_name', 'a\u0000b'],
    ['is blank', 'name', ' '],
    ['is too long', 'name', 'a'.repeat(256)],
    ['is no address', 'email', 'asha'],
    ['is too long', 'email', `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example.com`],
    ['has a null character', 'email', 'a\u0000@example.com'],
    ['is empty', 'organization_slug', ''],
    ['is in capitals', 'organization_slug', 'Acme'],
    ['has an underscore', 'organization_slug', 'ac_me'],
    ['has a space', 'organization_slug', 'ac me'],
    ['has a dot', 'organization_slug', 'acme.shop'],
    ['begins with a hyphen', 'organization_slug', '-acme'],
    ['ends with a hyphen', 'organization_slug', 'acme-'],
    ['is no ASCII', 'organization_slug', 'चौक'],
    ['ends with a line feed', 'organization_slug', 'acme\n'],
    ['pretends to be encoded', 'organization_slug', 'xn--acme'],
    ['is too long', 'organization_slug', 'a'.repeat(51)],
    ['is reserved', 'organization_slug', 'www'],
    ['is reserved', 'organization_slug', 'admin'],
    ['is too short', 'password', 'seven77'],
    ['has more bytes than bcrypt reads', 'password', 'é'.repeat(37)],
    ['has more characters than bcrypt reads', 'password', 'a'.repeat(73)],
    ['has a null character', 'password', 'correct\u0000horse'],
    ['is used by many people', 'password', 'password123'],
    ['differs', 'password_confirmation', 'correct hors'],
    ['is not spelled as PostgreSQL knows it', 'timezone', 'asia/kolkata'],
    ['is an offset', 'timezone', '+05:30'],
  ];
  test.each(cases)('is 422 with an error for the field if it %s: %s', async (_, field, value) => {
    const confirmation = field === 'password' && value !== undefined ? { password_confirmation: value } : {};
    const { status, body } = await wizard.post('owner', ownerForm({ [field]: value, ...confirmation }));
    expect({ status, body }).toMatchObject({ status: 422, body: { message: expect.any(String) } });
    expect(body.errors[field]).toEqual([expect.stringMatching(/\.$/)]);
    expect(await wizard.counts()).toEqual(before);
  });

  test('gets all errors in one response', async () => {
    const { status, body } = await wizard.post('owner', {
      organization_name: ' ',
      organization_slug: 'A B',
      name: 'a\nb',
      email: 'asha',
      password: 'short',
      password_confirmation: 'another one',
    });
    expect(status).toBe(422);
    expect(body.error_codes).toEqual({
      organization_name: ['too_short'],
      organization_slug: ['invalid'],
      name: ['invalid'],
      email: ['invalid'],
      password: ['too_short'],
      password_confirmation: ['mismatch'],
    });
    expect(Object.keys(body.errors).toSorted()).toEqual(Object.keys(body.error_codes).toSorted());
  });

  test.each([
    ['reserved', 'www', 'invalid'],
    ['taken', uniqueId(), 'taken'],
  ])('gets the error of a slug that is %s together with all others', async (why, slug, code) => {
    const { central } = wizard.kernel;
    // On another installation of the server: a tenant of this one would count as installed.
    if (why === 'taken') await central.db.run(raw(`CREATE DATABASE tenant${slug}`));
    const email = `${uniqueId()}@example.com`;
    await createUser(central.db, { name: 'Other', email });
    const taken = { organization_slug: slug, email: email.toUpperCase() };
    const wrong = { name: '', password: 'é'.repeat(37), password_confirmation: 'another one' };
    const { status, body } = await wizard.post('owner', ownerForm({ ...taken, ...wrong }));
    expect({ status, codes: body.error_codes }).toEqual({
      status: 422,
      codes: {
        name: ['too_short'],
        organization_slug: [code],
        email: ['taken'],
        password: ['invalid'],
        password_confirmation: ['mismatch'],
      },
    });
    const otherwiseRight = await wizard.post('owner', ownerForm(taken));
    expect(otherwiseRight).toMatchObject({ status: 422 });
    expect(otherwiseRight.body.error_codes).toEqual({ organization_slug: [code], email: ['taken'] });
  });

  test.each([
    ['no body', undefined, 422],
    ['a list', [], 422],
    ['a text', '"owner"', 422],
    ['broken JSON', '{"name":', 400],
  ])('is refused for %s', async (_, payload, expected) => {
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await wizard.post('owner', payload, headers);
    expect({ status, message: body.message }).toEqual({ status: expected, message: expect.any(String) });
  });

  test('with a taken address is refused and leaves neither a tenant nor a database', async () => {
    const form = ownerForm({ email: 'Taken@example.com' });
    await createUser(wizard.kernel.central.db, {
      name: 'Other',
      email: 'taken@example.com',
    });
    const { status, body } = await wizard.post('owner', form);
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { email: [expect.stringContaining('taken')] },
    });
    expect(await wizard.counts()).toMatchObject({ tenants: 0, domains: 0, memberships: 0 });
    expect(await wizard.kernel.databases.exists(`tenant${form.organization_slug}`)).toBe(false);
    expect((await wizard.get('status')).body).toMatchObject({ installed: false, current_step: 4 });
  });

  test('with a slug that another installation on the server uses is refused', async () => {
    const slug = uniqueId();
    await wizard.kernel.central.db.run(raw(`CREATE DATABASE tenant${slug}`));
    const { status, body } = await wizard.post('owner', ownerForm({ organization_slug: slug }));
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { organization_slug: [`${slug} is taken.`] },
    });
    expect(await wizard.kernel.databases.exists(`tenant${slug}`)).toBe(true);
  });
});
