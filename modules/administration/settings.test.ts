import { MoneyInput, sql, Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const secret = {
  key: 'security.secret',
  schema: Type.Integer({ minimum: 1 }),
  default: 5,
  description: '',
  permission: 'settings.security',
};
const limit = { key: 'test.limit', schema: MoneyInput, default: '0.00', description: '' };
const note = { key: 'test.note', schema: Type.String(), default: '', description: '' };
const platform = await startPlatform({ settings: [secret, limit, note] });
const acme = await platform.tenant();

test('settings come with their defaults', async () => {
  const { status, body } = await acme.caller('settings.view').get('/api/v1/settings');
  expect(status).toBe(200);
  expect(body.settings).toMatchObject({ 'general.currency': 'INR', 'general.timezone': 'Asia/Kolkata' });
});

test('a change takes effect at once and only in its own tenant', async () => {
  const other = await platform.tenant();
  const { status, body } = await acme.caller('settings.edit').patch('/api/v1/settings', { 'general.currency': 'EUR' });
  expect({ status, body }).toMatchObject({ status: 200, body: { settings: { 'general.currency': 'EUR' } } });
  expect((await acme.caller('settings.view').get('/api/v1/settings')).body.settings['general.currency']).toBe('EUR');
  expect((await other.caller('settings.view').get('/api/v1/settings')).body.settings['general.currency']).toBe('INR');
});

test('null restores the default, and the response of GET can be sent back', async () => {
  const caller = acme.caller('settings.view', 'settings.edit');
  await caller.patch('/api/v1/settings', { 'general.locale': 'de-DE' });
  const { body } = await caller.get('/api/v1/settings');
  expect((await caller.patch('/api/v1/settings', body)).body.settings['general.locale']).toBe('de-DE');
  const reset = await caller.patch('/api/v1/settings', { 'general.locale': null });
  expect(reset.body.settings['general.locale']).toBe('en-IN');
});

test('one invalid value rejects the whole change, and every invalid key is named', async () => {
  const caller = acme.caller('settings.view', 'settings.edit');
  const before = (await caller.get('/api/v1/settings')).body;
  const changes = { 'general.country': 'DE', 'general.currency': 5, 'general.timezone': 'Mars/Base', nonsense: 1 };
  const { status, body } = await caller.patch('/api/v1/settings', changes);
  expect(status).toBe(422);
  expect(body.error_codes).toEqual({
    'general.currency': ['wrong_type'],
    'general.timezone': ['invalid'],
    nonsense: ['unknown'],
  });
  expect((await caller.get('/api/v1/settings')).body).toEqual(before);
});

test.each(['+05:30', '-05:30', 'IST', 'asia/kolkata', 'localtime', 'US/Nowhere'])(
  'a time zone that PostgreSQL does not know by name is rejected: %s',
  async (zone) => {
    const { status, body } = await acme.caller('settings.edit').patch('/api/v1/settings', { 'general.timezone': zone });
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { 'general.timezone': ['The timezone must be a valid time zone, such as Asia/Kolkata.'] },
    });
  },
);

test.each(['UTC', 'Europe/Berlin', 'Etc/GMT+5', 'Asia/Kolkata'])(
  'a time zone is accepted by its name: %s',
  async (zone) => {
    const { body } = await acme.caller('settings.edit').patch('/api/v1/settings', { 'general.timezone': zone });
    expect(body.settings['general.timezone']).toBe(zone);
  },
);

test.each(['XYZ', 'inr', 'RUPEE', ''])('a currency outside ISO 4217 is rejected: %j', async (currency) => {
  const { status, body } = await acme
    .caller('settings.edit')
    .patch('/api/v1/settings', { 'general.currency': currency });
  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { 'general.currency': ['invalid'] } });
});

test('a setting with its own permission is neither shown nor changed without that permission', async () => {
  const plain = acme.caller('settings.view', 'settings.edit');
  expect((await plain.get('/api/v1/settings')).body.settings).not.toHaveProperty(['security.secret']);
  expect((await plain.patch('/api/v1/settings', { 'security.secret': 7 })).status).toBe(403);
  const trusted = acme.caller('settings.view', 'settings.edit', 'settings.security');
  const { body } = await trusted.patch('/api/v1/settings', { 'security.secret': 7 });
  expect(body.settings['security.secret']).toBe(7);
});

test.each([[[]], ['text'], [null], [{ settings: 'x' }], [{ settings: null }]])(
  'a body that is not an object of settings is rejected: %j',
  async (payload) => {
    const { status, body } = await acme.caller('settings.edit').request({
      method: 'PATCH',
      url: '/api/v1/settings',
      payload: JSON.stringify(payload),
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(422);
    expect(body.errors).toBeTypeOf('object');
  },
);

test('a change is recorded in the audit log with the old and the new value', async () => {
  const tenant = await platform.tenant();
  const caller = tenant.caller('settings.edit');
  await caller.patch('/api/v1/settings', { 'general.currency': 'EUR', 'general.country': 'IN' });
  await platform.kernel.audit.flush();
  const entries = await tenant.db.rows(sql`SELECT user_id, action, outcome, changes FROM module_bus_audit_log`);
  expect(entries).toEqual([
    {
      user_id: caller.user.id,
      action: 'settings.update',
      outcome: 'ok',
      changes: { 'general.currency': ['INR', 'EUR'] },
    },
  ]);
});

test('a value is stored in the format of its setting', async () => {
  const { body } = await acme.caller('settings.edit').patch('/api/v1/settings', { 'test.limit': 5 });
  expect(body.settings['test.limit']).toBe('5.00');
  expect((await acme.caller('settings.view').get('/api/v1/settings')).body.settings['test.limit']).toBe('5.00');
});

test('text that PostgreSQL cannot store is rejected', async () => {
  const { status } = await acme.caller('settings.edit').patch('/api/v1/settings', { 'test.note': 'a\u0000b' });
  expect(status).toBe(422);
});

test('settings are described to those who may see them', async () => {
  const describe = async (...permissions: string[]) =>
    (await acme.caller('settings.view', ...permissions).get('/api/v1/settings/definitions')).body.definitions;
  const all = await describe('settings.security');
  expect(all).toContainEqual({
    key: 'security.secret',
    description: '',
    schema: { type: 'integer', minimum: 1 },
    default: 5,
  });
  const keys = (await describe()).map(({ key }: { key: string }) => key);
  expect(keys).toContain('general.currency');
  expect(keys).not.toContain('security.secret');
  expect((await acme.caller('settings.edit').get('/api/v1/settings/definitions')).status).toBe(403);
});
