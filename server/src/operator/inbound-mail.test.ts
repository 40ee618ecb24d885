import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testConfig } from '../../testing/test-config.ts';
import { findMailProblems } from './inbound-mail.ts';

test('a key that cannot be used is reported, and nothing without a receiver', async () => {
  const file = join(tmpdir(), 'chowk-not-a-key.pem');
  await writeFile(file, 'no key');
  const tls = { INBOUND_SMTP_KEY: file, INBOUND_SMTP_CERTIFICATE: file };
  expect(await findMailProblems(testConfig({ INBOUND_SMTP_PORT: '2525', ...tls }))).toEqual([
    {
      problem: 'mails are not received',
      subject: expect.stringMatching(/^INBOUND_SMTP_KEY and INBOUND_SMTP_CERTIFICATE cannot be used: /),
      remedy: 'name PEM files of a key and its certificate',
    },
  ]);
  expect(await findMailProblems(testConfig({ INBOUND_SMTP_PORT: '2525' }))).toEqual([]);
  expect(await findMailProblems(testConfig(tls))).toEqual([]);
});

test('a key without its certificate is reported', async () => {
  const config = testConfig({ INBOUND_SMTP_PORT: '2525', INBOUND_SMTP_KEY: '/tmp/key.pem' });
  expect(await findMailProblems(config)).toMatchObject([
    { subject: 'INBOUND_SMTP_KEY and INBOUND_SMTP_CERTIFICATE must be set together' },
  ]);
});
