import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const [asha, vikram] = [acme.caller('conversations.reply'), acme.caller('conversations.reply')];
const url = '/api/v1/canned-replies';

const titles = async (caller: typeof asha) =>
  (await caller.get(url)).body.canned_replies.map(({ title }: { title: string }) => title);

test('the team shares canned replies, and each member has their own', async () => {
  const create = async (caller: typeof asha, fields: object) => {
    const { status, body } = await caller.post(url, { body: 'Hello {name}', ...fields });
    expect(status).toBe(201);
    return body.canned_reply;
  };
  const shared = await create(asha, { title: 'thanks' });
  const own = await create(asha, { title: 'Mine', is_shared: false });
  await create(vikram, { title: 'his', is_shared: false });
  expect(shared).toMatchObject({ title: 'thanks', body: 'Hello {name}', is_shared: true, user_id: asha.user.id });
  expect(await titles(asha)).toEqual(['Mine', 'thanks']);
  expect(await titles(vikram)).toEqual(['his', 'thanks']);
  expect(await vikram.patch(`${url}/${own.id}`, { title: 'Stolen' })).toMatchObject({ status: 404 });
  expect(await vikram.delete(`${url}/${own.id}`)).toMatchObject({ status: 404 });
  const changed = await vikram.patch(`${url}/${shared.id}`, { title: 'Thanks!' });
  expect(changed.body.canned_reply).toMatchObject({ title: 'Thanks!', body: 'Hello {name}', is_shared: true });
  expect(await vikram.delete(`${url}/${shared.id}`)).toMatchObject({ status: 200 });
  expect(await titles(asha)).toEqual(['Mine']);
});

test('a canned reply needs a title and a text', async () => {
  const { status, body } = await asha.post(url, { title: ' ' });
  expect({ status, fields: Object.keys(body.errors).sort() }).toEqual({ status: 422, fields: ['body', 'title'] });
});
