import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';

const platform = await startAccounts();
const acme = await platform.tenant();
const url = '/api/v1/devices';

type Member = Awaited<ReturnType<typeof platform.person>>;
const member = () => platform.person({ tenant: acme, role: 'Viewer' });
const register = (person: Member, token: string = randomUUID(), platform = 'android') =>
  person.post(url, { token, platform });
const tokens = async (person: Member) =>
  (await person.get(url)).body.devices.map(({ token }: { token: string }) => token);

test('a device is registered, listed and deleted', async () => {
  const asha = await member();
  const { status, body } = await register(asha, 'phone-1', 'ios');
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      message: 'Device registered.',
      device: {
        id: expect.any(String),
        token: 'phone-1',
        platform: 'ios',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    },
  });
  expect((await asha.get(url)).body).toEqual({ devices: [body.device] });
  const deleted = await asha.delete(`${url}/${body.device.id}`);
  expect(deleted).toMatchObject({ status: 200, body: { message: 'Device deleted.' } });
  expect(await tokens(asha)).toEqual([]);
});

test('a device that is registered again is refreshed', async () => {
  const asha = await member();
  const first = await register(asha, 'phone-2');
  const { body } = await register(asha, 'phone-2', 'web');
  expect(body.device).toMatchObject({ id: first.body.device.id, platform: 'web' });
  expect(await tokens(asha)).toEqual(['phone-2']);
});

test('a device moves to the user who signs in on it', async () => {
  const [asha, ravi] = [await member(), await member()];
  const first = await register(asha, 'phone-3');
  const second = await register(ravi, 'phone-3');
  expect(await tokens(asha)).toEqual([]);
  expect(await tokens(ravi)).toEqual(['phone-3']);
  expect(second.body.device.id).not.toBe(first.body.device.id);
});

test('a device of another user does not exist', async () => {
  const [asha, ravi] = [await member(), await member()];
  const { body } = await register(asha);
  for (const id of [body.device.id, randomUUID()]) {
    expect(await ravi.delete(`${url}/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'notifications.device_not_found' },
    });
  }
  expect(await tokens(asha)).toHaveLength(1);
});

test('the oldest device is removed when a user has more than twenty', async () => {
  const asha = await member();
  for (let index = 0; index <= 20; index += 1) await register(asha, `many-${index}`);
  expect(await tokens(asha)).toEqual(Array.from({ length: 20 }, (_, index) => `many-${20 - index}`));
});

test('two sessions can register the same token at the same time', async () => {
  const people = await Promise.all([member(), member(), member()]);
  const answers = await Promise.all(people.map((person) => register(person, 'shared')));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await Promise.all(people.map(tokens))).flat()).toEqual(['shared']);
});

test.each([
  [{ platform: 'ios' }, 'token'],
  [{ token: '', platform: 'ios' }, 'token'],
  [{ token: 'x'.repeat(1_001), platform: 'ios' }, 'token'],
  [{ token: 'phone', platform: 'windows' }, 'platform'],
])('%j is refused', async (body, field) => {
  const answer = await (await member()).post(url, body);
  expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: expect.anything() } } });
});

test('devices need the permission to view notifications', async () => {
  const stranger = await platform.person({ tenant: await platform.tenant() });
  expect((await stranger.get(url, { 'x-tenant': acme.id })).status).toBe(403);
  expect((await stranger.post(url, { token: 'x', platform: 'ios' }, { 'x-tenant': acme.id })).status).toBe(403);
});

test('GraphQL registers, lists and deletes devices', async () => {
  const asha = await member();
  const run = async (query: string) => (await asha.post('/api/v1/graphql', { query })).body.data;
  const { registerDevice } = await run(
    'mutation { registerDevice(input: { token: "phone-9", platform: ios }) { id platform } }',
  );
  expect(registerDevice).toMatchObject({ platform: 'ios' });
  expect(await run('{ devices { id } }')).toEqual({ devices: [{ id: registerDevice.id }] });
  await run(`mutation { deleteDevice(id: "${registerDevice.id}") }`);
  expect(await tokens(asha)).toEqual([]);
});
