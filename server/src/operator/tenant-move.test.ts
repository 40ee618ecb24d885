import { expect, test } from 'vitest';
import { chowkd } from '../../testing/chowkd.ts';
import { startPlatform } from '../../testing/platform.ts';
import { serverUrl, startSecondServer } from '../../testing/second-server.ts';

const DATABASE_SERVERS = `east=${serverUrl(await startSecondServer())}?weight=0`;
const platform = await startPlatform({ environment: { DATABASE_SERVERS } });
const { central, config } = platform.kernel;
const tenant = await platform.tenant();

function run(...args: readonly string[]) {
  return chowkd(args, {
    DATABASE_URL: `${serverUrl(central.address)}/${central.database}`,
    DATABASE_SERVERS,
    STORAGE_PATH: config.storagePath,
    APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
  });
}

test('an operator moves a tenant and sees its progress and its new server', async () => {
  const { code, out, err } = await run('tenant:move', tenant.id, '--to=east');
  expect(out).toMatch(new RegExp(`^Moved ${tenant.id} from main to east; it was paused for [\\d.]+ s\\.\n$`));
  expect(err).toMatch(/^The tenant stays in use while it is copied to east\.\nfollowing\n/);
  expect(err).toMatch(/copied (\d+) of \1 tables\n/);
  expect(code).toBe(0);
  const [shown] = JSON.parse((await run('tenant:show', tenant.id, '--json')).out);
  expect(shown).toMatchObject({ server: 'east', database_size: expect.stringMatching(/B$/), move: null });
  const listed = JSON.parse((await run('tenant:list', '--json')).out);
  expect(listed).toContainEqual(expect.objectContaining({ id: tenant.id, server: 'east' }));
});

test('a wrong option or server is reported in one line', async () => {
  expect(await run('tenant:move', tenant.id)).toMatchObject({ code: 2, err: expect.stringMatching(/--to must name/) });
  expect(await run('tenant:move', tenant.id, '--to=east')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/already on east\n$/),
  });
  expect(await run('tenant:move', tenant.id, '--to=main', '--grace=x')).toMatchObject({ code: 2 });
});
