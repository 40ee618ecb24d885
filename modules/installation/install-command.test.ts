import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Terminal, UsageError } from '@chowk/kit';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../server/testing/chowkd.ts';
import { uniqueId } from '../../server/testing/platform.ts';
import { startWizard } from '../../server/testing/wizard.ts';
import { installCommand } from './install-command.ts';

/** A terminal with prepared answers, or without any. The last of several answers to a question is repeated. */
function createTerminal(answers?: Record<string, string | string[]>) {
  const output = { said: [] as string[], progress: [] as string[], asked: [] as string[], rows: [] as object[] };
  const terminal: Terminal = {
    say: (line) => void output.said.push(line),
    progress: (line) => void output.progress.push(line),
    table: (rows) => void output.rows.push(...rows),
    async ask(question, { hidden = false } = {}) {
      if (!answers) return undefined;
      output.asked.push(`${question}${hidden ? ' (hidden)' : ''}`);
      const answer = Object.entries(answers).find(([words]) => question.includes(words))?.[1] ?? '';
      if (typeof answer === 'string') return answer;
      return (answer.length > 1 ? answer.shift() : answer[0]) ?? '';
    },
  };
  return { terminal, output };
}

const wizard = await startWizard({
  environment: { APP_URL: 'https://chowk.example:8443', BASE_DOMAIN: 'chowk.example' },
});
const options = { organization: 'Acme Stores', email: 'asha.rao@example.com', password: 'correct horse' };

function run(options: Record<string, string | boolean>, terminal = createTerminal().terminal): Promise<void> {
  return installCommand.run(wizard.ctx, { positionals: [], options }, terminal);
}

test.each([
  ['--organization', { email: options.email, password: options.password }],
  ['--email', { organization: options.organization, password: options.password }],
  ['--password-file', { organization: options.organization, email: options.email }],
  ['--slug', { ...options, organization: '⁂' }],
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

test('wrong options are reported together, before the first question', async () => {
  const { terminal, output } = createTerminal({});
  const wrong = {
    email: 'asha',
    slug: 'www',
    country: 'zz',
    currency: 'XYZ',
    timezone: 'Mars/Base',
    password: 'short',
  };
  const refusal = await run(wrong, terminal).catch((error: unknown) => error);
  const { errors } = (refusal as { extras: { errors: object } }).extras;
  expect(Object.keys(errors).toSorted()).toEqual([
    'country',
    'currency',
    'email',
    'organization_slug',
    'password',
    'timezone',
  ]);
  expect(output.asked).toEqual([]);
});

test('a missing password file is reported in one line', async () => {
  const { organization, email } = options;
  const file = join(await temporaryFolder(), 'nothing');
  await expect(run({ organization, email, 'password-file': file })).rejects.toThrow(/password file .* \(ENOENT\)$/);
});

test('unmet requirements are listed, and nothing is installed', async () => {
  const cache = join(wizard.kernel.config.storagePath, 'cache');
  await writeFile(cache, '');
  const { terminal, output } = createTerminal();
  await expect(run(options, terminal)).rejects.toThrow(/^1 of \d+ requirements are not met$/);
  await rm(cache);
  expect(output.progress).toEqual([expect.stringMatching(/^✗ Cache folder: .*STORAGE_PATH/)]);
  expect(await wizard.counts()).toMatchObject({ signing_keys: 0, roles: 0, users: 0 });
});

test('on a terminal the command asks until every answer is right, runs all steps and prints the sign-in address', async () => {
  const slug = uniqueId();
  const { terminal, output } = createTerminal({
    'Name of the organization': ['', 'Acme Stores'],
    'Id of the organization': ['A B', 'www', slug],
    Country: ['Germany', 'zz', 'ch'],
    'Time zone': ['Mars/Base', ''],
    'Email address': ['asha', 'Asha.Rao@example.com'],
    Password: ['short', ' with blanks '],
    'Repeat the password': ['with blanks', ' with blanks '],
  });
  await run({}, terminal);
  const id =
    'Id of the organization (lower-case letters, digits and hyphens; part of its address; cannot be changed later)';
  const suggested = (text: string) => expect.stringMatching(new RegExp(`^${text} \\[.+\\]:$`));
  expect(output.asked).toEqual([
    ...Array(2).fill('Name of the organization:'),
    ...Array(3).fill(`${id} [acme-stores]:`),
    ...Array(3).fill(suggested('Country \\(two letters, such as DE\\)')),
    'Currency (three letters, such as EUR) [CHF]:',
    ...Array(2).fill('Time zone (such as Europe/Berlin) [Europe/Zurich]:'),
    ...Array(2).fill('Email address of the owner, to sign in with:'),
    'Name of the owner [Asha Rao]:',
    ...Array(2).fill('Password (at least 8 characters, not shown): (hidden)'),
    'Repeat the password: (hidden)',
    'Password (at least 8 characters, not shown): (hidden)',
    'Repeat the password: (hidden)',
  ]);
  expect(output.progress.filter((line) => line.startsWith('✗'))).toEqual([
    expect.stringContaining('organization name'),
    expect.stringContaining('organization slug'),
    '✗ www is reserved.',
    expect.stringContaining('country'),
    '✗ There is no country ZZ.',
    expect.stringContaining('timezone'),
    expect.stringContaining('email'),
    expect.stringContaining('password'),
    '✗ The passwords differ.',
  ]);
  expect(output.progress.filter((line) => line.startsWith('✓'))).toEqual([
    expect.stringMatching(/^✓ requirements: all \d+ are met$/),
    expect.stringMatching(/^✓ database: \d+ migrations/),
    expect.stringMatching(/^✓ seed: 5 roles, \d+ permissions/),
    '✓ organization: Acme Stores, country CH, CHF, time zone Europe/Zurich',
    '✓ owner: Asha Rao <asha.rao@example.com>',
  ]);
  expect(output.said).toEqual([
    'Chowk is installed. Sign in as asha.rao@example.com at https://chowk.example:8443/login',
    `Acme Stores is at https://${slug}.chowk.example:8443`,
  ]);
  expect(await wizard.kernel.settings.get(slug)).toMatchObject({
    'general.country': 'CH',
    'general.currency': 'CHF',
    'general.timezone': 'Europe/Zurich',
    'general.locale': 'en-CH',
  });
  expect(await wizard.marker()).toMatchObject({ version: '1.0.0' });
  expect((await wizard.get('status')).status).toBe(403);
});

test('an installed platform cannot be installed again', async () => {
  await expect(run({})).rejects.toThrow(/^Chowk is already installed; sign in at https:.*$/);
});
