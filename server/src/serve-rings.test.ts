import { randomBytes } from 'node:crypto';
import { sql } from '@chowk/kit/kernel';
import { expect, inject, test } from 'vitest';
import { chowkd, npmStart, temporaryFolder } from '../testing/chowkd.ts';
import { writeLock } from '../testing/module-sources.ts';
import { uniqueId } from '../testing/platform.ts';
import { withConnection } from './db/connection.ts';

const { port, user, password } = inject('server');
const central = `central_${randomBytes(5).toString('hex')}`;
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };

async function createEnvironment() {
  const DATABASE_URL = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${central}`;
  const STORAGE_PATH = await temporaryFolder();
  // Fewer modules, whose tables take less time to create.
  const aliases = ['administration', 'customers', 'identity', 'orders', 'pricing', 'products'];
  return { DATABASE_URL, STORAGE_PATH, MODULE_LOCK_PATH: await writeLock(STORAGE_PATH, ...aliases) };
}

test('rings that cannot be served, and tenants of other rings, are refused with one line', async () => {
  const environment = await createEnvironment();
  const id = uniqueId();
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  expect((await chowkd(['tenant:create', id], environment)).code).toBe(0);
  await withConnection(inject('server'), central, limits, async (connection) => {
    await connection.script(`
      INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment, is_active)
      VALUES ('edge', 'Edge', '/srv/edge.lock.json', '', '', 'edge', true), ('old', 'Old', '', '', '', 'old', false)`);
    await connection.query(sql`
      UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = 'edge') WHERE id = ${id}`);
  });
  expect(await chowkd(['serve', '--no-build', '--rings=stable,old'], environment)).toEqual({
    code: 1,
    out: '',
    err: "chowkd: the ring old is not active; run 'chowkd ring:activate old' first\n",
  });
  // In a process of its own, which ends.
  expect(await npmStart(['--no-build', '--rings=stabel'], environment)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^chowkd: there is no ring stabel; the active rings are edge, stable\n/),
  });
  expect((await chowkd(['serve', '--rings=,'], environment)).code).toBe(2);
  const otherRing = `chowkd: the tenant ${id} is on the ring edge; run this command with RING_NAME=edge MODULE_LOCK_PATH=/srv/edge.lock.json\n`;
  for (const command of [
    ['demo:seed', `--tenant=${id}`],
    ['jobs:run', 'products.release_expired', `--tenant=${id}`],
    ['tenant:export', id, `--out=${environment.STORAGE_PATH}/x.zip`],
    ['tenant:clone', id, uniqueId()],
    ['tenant:delete', id, `--yes=${id}`],
  ]) {
    expect(await chowkd(command, environment), command[0]).toEqual({ code: 1, out: '', err: otherRing });
  }
  expect(await chowkd(['ring:reload', 'nope'], environment)).toMatchObject({ code: 1 });
  const reloaded = await chowkd(['ring:reload', 'edge', '--no-wait', '--json'], environment);
  expect(JSON.parse(reloaded.out)).toEqual([{ ring: 'edge', status: 'requested' }]);
  expect(await chowkd(['ring:reload', 'edge'], environment)).toEqual({
    code: 1,
    out: '',
    err: 'chowkd: no front has the ring edge; start its processes again instead\n',
  });
}, 120_000);
