import { MoneyInput, sql, Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const secret = {
  key: 'security.secret',
  schema: Type.Integer({ minimum: 1 }),
  default: 5,
  description: '',
  permission: 'settings.security',
};
const limit = { key: 'test.limit', schema: MoneyInput, default: '0.00', description: '' };
const platform = await startPlatform({ settings: [secret, limit] });
const acme = await platform.tenant();

test('settings come with their defaults', async () => {
  const { status, body } = await acme.caller('settings.view').get('/api/v1/settings');
  expect(status).toBe(200);
  expect(body.settings).toMatchObject({ 'general.currency': 'INR', 'general.timezone': 'Asia/Kolkata' });
});

test('a change is seen at once, by another tenant never', async () => {
  const other = await platform.tenant();
  const { status, body } = await acme.caller('settings.edit').patch('/api/v1/settings', { 'general.currency': 'EUR' });
  expect({ status, body }).toMatchObject({ status: 200, body: { settings: { 'general.currency': 'EUR' } } });
  expect((await acme.caller('settings.view').get('/api/v1/settings')).body.settings['general.currency']).toBe('EUR');
  expect((await other.caller('settings.view').get('/api/v1/settings')).body.settings['general.currency']).toBe('INR');
});

test('null goes back to the default, and what GET answers can be sent back', async () => {
  const caller = acme.caller('settings.view', 'settings.edit');
  await caller.patch('/api/v1/settings', { 'general.locale': 'de-DE' });
  const { body } = await caller.get('/api/v1/settings');
  expect((await caller.patch('/api/v1/settings', body)).body.settings['general.locale']).toBe('de-DE');
  const reset = await caller.patch('/api/v1/settings', { 'general.locale': null });
  expect(reset.body.settings['general.locale']).toBe('en-IN');
});

test('one wrong value changes nothing and each is named', async () => {
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

test('a setting with a permission of its own is neither shown nor changed without it', async () => {
  const plain = acme.caller('settings.view', 'settings.edit');
  expect((await plain.get('/api/v1/settings')).body.settings).not.toHaveProperty(['security.secret']);
  expect((await plain.patch('/api/v1/settings', { 'security.secret': 7 })).status).toBe(403);
  const trusted = acme.caller('settings.view', 'settings.edit', 'settings.security');
  const { body } = await trusted.patch('/api/v1/settings', { 'security.secret': 7 });
  expect(body.settings['security.secret']).toBe(7);
});

test.each([[[]], ['text'], [null], [{ settings: 'x' }]])(
  'a body that is no map of settings is refused: %j',
  async (wrong) => {
    const { status, body } = await acme.caller('settings.edit').request({
      method: 'PATCH',
      url: '/api/v1/settings',
      payload: JSON.stringify(wrong),
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(422);
    expect(body.errors).toBeTypeOf('object');
  },
);

test('a change is written down with what was there before', async () => {
  const tenant = await platform.tenant();
  const caller = tenant.caller('settings.edit');
  await caller.patch('/api/v1/settings', { 'general.currency': 'EUR', 'general.country': 'IN' });
  await platform.kernel.audit.flush();
  const lines = await tenant.db.rows(sql`SELECT user_id, action, outcome, changes FROM module_bus_audit_log`);
  expect(lines).toEqual([
    {
      user_id: caller.user.id,
      action: 'settings.update',
      outcome: 'ok',
      changes: { 'general.currency': ['INR', 'EUR'] },
    },
  ]);
});

test('a value is stored as its setting writes it', async () => {
  const { body } = await acme.caller('settings.edit').patch('/api/v1/settings', { 'test.limit': 5 });
  expect(body.settings['test.limit']).toBe('5.00');
  expect((await acme.caller('settings.view').get('/api/v1/settings')).body.settings['test.limit']).toBe('5.00');
});
