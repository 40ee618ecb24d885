import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Terminal, UsageError } from '@chowk/kit';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../server/testing/chowkd.ts';
import { uniqueId } from '../../server/testing/platform.ts';
import { startWizard } from '../../server/testing/wizard.ts';
import { installCommand } from './install-command.ts';

/** A terminal with prepared answers, or without any. */
function terminalOf(answers?: Record<string, string>) {
  const output = { said: [] as string[], progress: [] as string[], asked: [] as string[], rows: [] as object[] };
  const terminal: Terminal = {
    say: (line) => void output.said.push(line),
    progress: (line) => void output.progress.push(line),
    table: (rows) => void output.rows.push(...rows),
    async ask(question, { hidden = false } = {}) {
      if (!answers) return undefined;
      output.asked.push(`${question}${hidden ? ' (hidden)' : ''}`);
      return Object.entries(answers).find(([words]) => question.includes(words))?.[1] ?? '';
    },
  };
  return { terminal, output };
}

const wizard = await startWizard({
  environment: { APP_URL: 'https://chowk.example:8443', BASE_DOMAIN: 'chowk.example' },
});
const options = { organization: 'Acme Stores', email: 'asha.rao@example.com', password: 'correct horse' };

function run(options: Record<string, string | boolean>, terminal = terminalOf().terminal): Promise<void> {
  return installCommand.run(wizard.ctx, { positionals: [], options }, terminal);
}

test.each([
  ['--organization', { email: options.email, password: options.password }],
  ['--email', { organization: options.organization, password: options.password }],
  ['--password-file', { organization: options.organization, email: options.email }],
  ['--slug', { ...options, organization: 'चौक' }],
  ['not both', { ...options, 'password-file': '-' }],
])('without a terminal the error names %s', async (named, options) => {
  const refusal = await run(options).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UsageError);
  expect((refusal as Error).message).toContain(named);
});

test.each([
  ['organization_slug', { ...options, slug: 'A B' }],
  ['email', { ...options, email: 'asha' }],
  ['password', { ...options, password: 'short' }],
])('a wrong %s is refused before anything is changed', async (field, options) => {
  const before = await wizard.counts();
  await expect(run(options)).rejects.toMatchObject({
    extras: { errors: { [field]: [{ message: expect.any(String) }] } },
  });
  expect(await wizard.counts()).toEqual(before);
});

test('a password that is repeated differently is refused', async () => {
  const { organization, email } = options;
  const { terminal } = terminalOf({ Password: 'correct horse', 'Repeat the password': 'correct hors' });
  await expect(run({ organization, email }, terminal)).rejects.toMatchObject({
    extras: { errors: { password_confirmation: [{ code: 'mismatch' }] } },
  });
});

test('a missing password file is reported in one line', async () => {
  const { organization, email } = options;
  const file = join(await temporaryFolder(), 'nothing');
  await expect(run({ organization, email, 'password-file': file })).rejects.toThrow(/password file .* \(ENOENT\)$/);
});

test('unmet requirements are listed, and nothing is installed', async () => {
  const cache = join(wizard.kernel.config.storagePath, 'cache');
  await writeFile(cache, '');
  const { terminal, output } = terminalOf();
  await expect(run(options, terminal)).rejects.toThrow(/^1 of \d+ requirements are not met$/);
  await rm(cache);
  expect(output.progress).toEqual([expect.stringMatching(/^✗ Cache folder: .*STORAGE_PATH/)]);
  expect(await wizard.counts()).toMatchObject({ signing_keys: 0, roles: 0, users: 0 });
});

test('on a terminal the command asks for missing options, runs all steps and prints the sign-in address', async () => {
  const slug = uniqueId();
  const { terminal, output } = terminalOf({
    'Name of the organization': 'Acme Stores',
    'Id of the organization': slug,
    'Email address': 'Asha.Rao@example.com',
    Password: ' with blanks ',
    'Repeat the password': ' with blanks ',
  });
  await run({}, terminal);
  expect(output.asked).toEqual([
    'Name of the organization:',
    'Id of the organization, part of its address; it cannot be changed [acme-stores]:',
    'Email address of the owner:',
    'Name of the owner:',
    'Password: (hidden)',
    'Repeat the password: (hidden)',
  ]);
  expect(output.progress).toEqual([
    expect.stringMatching(/^✓ requirements: all \d+ are met$/),
    expect.stringMatching(/^✓ database: \d+ migrations/),
    expect.stringMatching(/^✓ seed: 5 roles, \d+ permissions/),
    '✓ owner: Asha Rao <asha.rao@example.com> of Acme Stores',
  ]);
  expect(output.said).toEqual([
    'Chowk is installed. Sign in as asha.rao@example.com at https://chowk.example:8443/login',
    `Acme Stores is at https://${slug}.chowk.example:8443`,
  ]);
  expect(await wizard.marker()).toMatchObject({ version: '1.0.0' });
  expect((await wizard.get('status')).status).toBe(403);
});

test('an installed platform cannot be installed again', async () => {
  await expect(run({})).rejects.toThrow(/^Chowk is already installed; sign in at https:.*$/);
});
