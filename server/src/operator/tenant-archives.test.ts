import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { chowkd, temporaryFolder } from '../../testing/chowkd.ts';
import { writeLock } from '../../testing/module-sources.ts';
import { uniqueId } from '../../testing/platform.ts';
import { onSeparateConnection } from '../../testing/scratch-database.ts';

/** The environment of an installation whose database user may create databases and nothing else. */
async function newInstallation(): Promise<Record<string, string>> {
  const name = `plain_${randomBytes(5).toString('hex')}`;
  await onSeparateConnection('postgres', (connection) =>
    connection.script(`CREATE ROLE ${name} LOGIN CREATEDB PASSWORD '${name}'`),
  );
  const { port } = inject('server');
  const STORAGE_PATH = await temporaryFolder();
  return {
    STORAGE_PATH,
    // Fewer modules, whose tables take less time to create and to copy.
    MODULE_LOCK_PATH: await writeLock(
      STORAGE_PATH,
      'administration',
      'customers',
      'identity',
      'orders',
      'pricing',
      'products',
    ),
    DATABASE_COPY_STRATEGY: 'file_copy',
    DATABASE_URL: `postgres://${name}:${name}@127.0.0.1:${port}/${name}`,
  };
}

test('an operator exports, imports, clones and deletes tenants, without a superuser', async () => {
  const environment = await newInstallation();
  const run = (...args: string[]) => chowkd(args, environment);
  const [id, copy, imported] = [uniqueId(), uniqueId(), uniqueId()];
  const folder = environment.STORAGE_PATH as string;
  const file = join(folder, 'acme.zip');
  expect((await run('migrate')).code).toBe(0);
  expect((await run('tenant:create', id, `--alias=${id}-shop`)).code).toBe(0);
  expect((await run('demo:seed', `--tenant=${id}`, '--customers=50', '--seed=1')).code).toBe(0);

  const exported = await run('tenant:export', `${id}-shop`, `--out=${file}`);
  expect(exported).toMatchObject({
    code: 0,
    out: expect.stringMatching(`Exported ${id} to ${file}: [\\d,]+ rows, 0 files`),
  });
  expect(await run('tenant:export', id, `--out=${file}`)).toMatchObject({
    code: 1,
    err: `chowkd: ${file} exists already; choose another file with --out\n`,
  });

  expect(await run('tenant:import', file)).toMatchObject({ code: 1, err: `chowkd: ${id} is taken.\n` });
  const other = await run('tenant:import', file, `--id=${imported}`);
  expect(other).toMatchObject({
    code: 0,
    out: expect.stringMatching(`^Imported ${imported}.\n  the domain ${id}-shop is taken\n  it has no members`),
  });
  await writeFile(join(folder, 'broken.zip'), 'PK');
  expect(await run('tenant:import', join(folder, 'broken.zip'))).toMatchObject({
    code: 1,
    err: 'chowkd: the archive cannot be used: it is truncated, or not a ZIP file\n',
  });
  expect(await run('tenant:import', join(folder, 'missing.zip'))).toMatchObject({
    code: 1,
    err: expect.stringMatching(/missing\.zip/),
  });

  expect(await run('tenant:clone', id, copy)).toMatchObject({
    code: 0,
    out: expect.stringMatching(`Copied ${id} to ${copy}`),
  });

  expect(await run('tenant:delete', id)).toMatchObject({ code: 2, err: `chowkd: confirm with --yes=${id}\n` });
  expect(await run('tenant:delete', id, '--yes=other')).toMatchObject({
    code: 2,
    err: `chowkd: other is not ${id}; nothing was deleted\n`,
  });
  expect(await run('tenant:delete', id, `--yes=${id}`)).toMatchObject({
    code: 0,
    out: expect.stringMatching(`Exported it to ${folder}/exports/${id}-\\d{8}T\\d{6}\\.zip\\.\nDeleted ${id}\\.`),
  });
  const [saved = ''] = await readdir(join(folder, 'exports'));
  expect(await run('tenant:delete', copy, `--yes=${copy}`, '--no-export')).toMatchObject({ out: `Deleted ${copy}.\n` });
  expect(await readdir(join(folder, 'exports'))).toEqual([saved]);

  const restored = await run('tenant:import', join(folder, 'exports', saved), '--json');
  expect(JSON.parse(restored.out)).toEqual([{ id, reports: [expect.stringMatching(/^it has no members/)] }]);
  const tenants = JSON.parse((await run('tenant:list', '--json')).out).map((tenant: { id: string }) => tenant.id);
  expect(tenants).toEqual([id, imported].sort());
  expect(await run('tenant:doctor')).toMatchObject({ code: 0, out: 'No problems found.\n' });

  const main = uniqueId();
  expect((await run('tenant:create', main, '--role=platform_owner')).code).toBe(0);
  expect(await run('tenant:delete', main, `--yes=${main}`)).toMatchObject({
    code: 1,
    err: `chowkd: ${main} is the platform's own tenant and cannot be deleted\n`,
  });
});
