import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startAccounts } from '../../testing/accounts.ts';
import { temporaryFolder } from '../../testing/chowkd.ts';
import { findBackupProblems } from './backup-problems.ts';

const task = { job: 'kernel.backup', tenant: '', data: {}, requestId: 'test' };
const hour = 3_600_000;

test('the nightly job backs up once, and the doctor reports backups that are old, failed or unreadable', async () => {
  const folder = await temporaryFolder();
  const { kernel } = await startAccounts({
    environment: {
      APP_KEY: Buffer.alloc(32, 'test').toString('base64'),
      BACKUP_PATH: folder,
      BACKUP_KEY: 'a-passphrase-of-the-operator',
    },
  });
  const problems = async (hoursLater = 0) => {
    const now = () => new Date(Date.now() + hoursLater * hour);
    return (await findBackupProblems({ ...kernel, now })).map(({ problem, subject }) => `${problem}: ${subject}`);
  };
  expect(await problems()).toEqual(['no backup: the platform was never backed up']);
  const { perform } = kernel.jobs.getHandler('kernel.backup');
  expect(await perform(task)).toMatchObject({ backup: expect.stringMatching(/^\d{8}T/) });
  expect(await perform(task)).toEqual({ skipped: 'there is a recent backup' });
  expect(await problems()).toEqual([]);
  expect(await problems(31)).toEqual(['old backup: the last one is 31 hours old']);
  expect(await problems(36 * 24)).toEqual([
    'old backup: the last one is 36 days old',
    'no rehearsal of a restore: a restore was never rehearsed',
  ]);
  await rm(folder, { recursive: true });
  expect(await problems()).toEqual([`backups cannot be read: there are no backups in ${folder}`]);
});

test('without a place for backups there is no job and no problem', async () => {
  const { kernel } = await startAccounts();
  expect(kernel.jobs.jobNames).not.toContain('kernel.backup');
  expect(await findBackupProblems(kernel)).toEqual([]);
});
