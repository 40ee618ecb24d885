import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../server/testing/chowkd.ts';
import { startWizard } from '../../server/testing/wizard.ts';
import { type DatabaseServer, inspectMachine, type Machine } from './machine.ts';
import { checkRequirements, checks } from './requirements.ts';

const wizard = await startWizard();
const { ctx } = wizard;
const machine = inspectMachine(ctx);
/** The slow checks run once; the first test runs all of them for real. */
const workingMachine: Machine = { ...machine, runTypeScript: once(machine.runTypeScript), signs: once(machine.signs) };

function once<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= run();
    return result;
  };
}

const server = (changes: Partial<DatabaseServer>): Partial<Machine> => ({
  databaseServer: async () => ({ version: 16, extensions: ['pg_trgm', 'unaccent'], may_create: true, ...changes }),
});
const broken = async () => {
  throw Object.assign(new Error('open /secret/place'), { code: 'EROFS' });
};

const defects: [key: string, found: RegExp, defect: Partial<Machine>][] = [
  ['node', /22\.1\.0/, { nodeVersion: '22.1.0' }],
  ['typescript', /TypeScript program/, { runTypeScript: async () => '' }],
  ['rsa', /forged/, { signs: async () => false }],
  ['aes_gcm', /encrypted/, { encrypts: async () => false }],
  ['bcrypt', /wrong one/, { hashes: async () => false }],
  ['icu', /1,234,567/, { inHindi: () => '1,234,567 January' }],
  ['database_driver', /changed/, { echo: async (values) => ({ ...values, text: '????' }) }],
  ['database_driver', /changed/, { echo: async (values) => ({ ...values, number: 2 ** 53 }) }],
  ['database_driver', /changed/, { echo: async () => undefined }],
  ['postgresql', /PostgreSQL 14/, server({ version: 14 })],
  ['postgresql_extensions', /unaccent cannot/, server({ extensions: ['pg_trgm'] })],
  ['database_rights', /may not create/, server({ may_create: false })],
  ['database_query', /not found/, { writeToDatabase: async () => undefined }],
  ['cache', /Redis does not answer/, { pingCache: async () => ({ up: false, name: 'Redis' }) }],
  ['disk_space', /499 MB/, { freeBytes: async () => 500 * 2 ** 20 - 1 }],
];

test('every requirement is met on this machine', async () => {
  const { passed, requirements } = await checkRequirements(ctx);
  expect(requirements.filter((one) => !one.passed)).toEqual([]);
  expect(passed).toBe(true);
  expect(requirements.map(({ key }) => key)).toEqual(checks.map(({ key }) => key));
});

test('every requirement except the folders has a test defect', () => {
  const keys = new Set(defects.map(([key]) => key));
  expect(checks.map(({ key }) => key).filter((key) => !keys.has(key))).toEqual(['storage_writable', 'cache_writable']);
});

test.each(defects)('%s fails alone, with the problem (%s) and the remedy', async (key, found, defect) => {
  const { passed, requirements } = await checkRequirements(ctx, { ...workingMachine, ...defect });
  expect(passed).toBe(false);
  expect(requirements.filter((one) => !one.passed)).toEqual([
    { key, label: expect.any(String), passed: false, detail: expect.stringMatching(found) },
  ]);
  const { remedy } = checks.find((check) => check.key === key) ?? {};
  expect(requirements.find((one) => one.key === key)?.detail).toContain(remedy);
});

test.each(['storage', 'cache'] as const)('a %s folder that is not writable is detected', async (which) => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  const folders = { ...workingMachine.folders, [which]: file };
  const { requirements } = await checkRequirements(ctx, { ...workingMachine, folders, freeBytes: async () => 2 ** 40 });
  const failing = requirements.filter((one) => !one.passed);
  expect(failing.map(({ key }) => key)).toEqual([`${which}_writable`]);
  expect(failing[0]?.detail).toMatch(/EEXIST|ENOTDIR/);
});

test('a missing cache folder is created', async () => {
  const cache = join(await temporaryFolder(), 'cache');
  const { passed } = await checkRequirements(ctx, { ...workingMachine, folders: { ...workingMachine.folders, cache } });
  expect(passed).toBe(true);
  await expect(mkdir(cache)).rejects.toThrow('EEXIST');
});

test('an exception in a check is an unmet requirement, reported without folder names', async () => {
  for (const part of ['runTypeScript', 'signs', 'echo', 'writeInto', 'freeBytes'] as const) {
    const { passed, requirements } = await checkRequirements(ctx, { ...workingMachine, [part]: broken });
    expect(passed, part).toBe(false);
    for (const { detail } of requirements) expect(detail).not.toContain('/secret');
  }
});

test('an unreachable Redis is detected', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  const lonely = await startWizard({ environment: { REDIS_URL: `redis://127.0.0.1:${port}` } });
  const { body } = await lonely.get('check-requirements');
  expect(body.passed).toBe(false);
  expect(body.requirements.filter((one: { passed: boolean }) => !one.passed)).toMatchObject([{ key: 'cache' }]);
  expect((await lonely.post('setup-database')).status).toBe(409);
});

test('the step is completed if the last check has passed', async () => {
  const step = async () => (await wizard.get('status')).body.steps.requirements;
  await checkRequirements(ctx);
  expect(await step()).toBe('completed');
  await checkRequirements(ctx, { ...workingMachine, nodeVersion: '20.0.0' });
  expect(await step()).toBe('pending');
  expect((await wizard.post('setup-database')).body).toMatchObject({ current_step: 1 });
  await wizard.get('check-requirements');
  expect(await step()).toBe('completed');
});
