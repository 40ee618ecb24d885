import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';

const platform = await startAccounts();
const { mail } = platform.kernel.services;
const open = (url: string, headers = {}) => platform.request({ method: 'GET', url, headers });

async function deliver(subject: string): Promise<string> {
  await mail.send({ to: 'asha@example.com', subject, organization: 'Acme', paragraphs: ['Hello'] });
  return eventually(async () => {
    const stored = (await mail.listStored()).find((one) => one.subject === subject);
    if (!stored) throw new Error('not there yet');
    return stored.id;
  });
}

test('without mails the page explains how to get one', async () => {
  const { status, headers, body } = await open('/dev/mail');
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(body).toContain('No mails yet');
  expect((await open('/dev/mail?format=json')).body).toEqual({ mails: [] });
});

test('mails are listed newest first, with a link to each', async () => {
  const [first, second] = [await deliver('The first <b>'), await deliver('The second')];
  const { body } = await open('/dev/mail');
  expect(body).toContain(`<a href="/dev/mail/${first}">The first &#60;b&#62;</a>`);
  expect(body.indexOf(second)).toBeLessThan(body.indexOf(first));
  expect(body).toContain('<a href="/dev/mail">Refresh</a>');
});

test('the list is available as JSON', async () => {
  const id = await deliver('For programs');
  const { headers, body } = await open('/dev/mail?format=json');
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(body.mails[0]).toMatchObject({
    id,
    to: 'asha@example.com',
    subject: 'For programs',
    text: 'Hello\n\n-- \nAcme',
  });
  expect((await open('/dev/mail?format=xml')).status).toBe(422);
});

test('a mail is shown with its headers, in a sandboxed frame and as text with links', async () => {
  const html = '<p title="x">Hello</p><script>alert(1)</script></iframe><script>alert(2)</script>';
  const id = await deliver('One');
  const file = join(platform.kernel.config.storagePath, 'mail', `${id}.json`);
  const stored = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...stored, html, text: 'See https://chowk.example/?a=1&b=2 <soon>' }));
  const { status, headers, body } = await open(`/dev/mail/${id}`);
  expect(status).toBe(200);
  expect(body).toContain('asha@example.com');
  expect(body).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
  expect(body).not.toContain('allow-scripts');
  expect(body).toMatch(/srcdoc="[^"<>]*&#60;script&#62;[^"<>]*"><\/iframe>/);
  expect(body).not.toContain('<script');
  expect(body).toContain(
    '<a href="https://chowk.example/?a=1&#38;b=2" target="_blank" rel="noreferrer">https://chowk.example/?a=1&#38;b=2</a> &#60;soon&#62;',
  );
  expect(headers['content-security-policy']).toContain("default-src 'none'");
});

test('an unknown mail is an error page', async () => {
  const { status, headers } = await open('/dev/mail/x');
  expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' });
});

test('pages of other origins cannot read the mails', async () => {
  for (const url of ['/dev/mail', '/dev/mail?format=json', '/dev/mail/x']) {
    const { status, body } = await open(url, { origin: 'https://evil.example' });
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'http.not_found' });
  }
});

test('other machines cannot read the mails, also through a proxy on this machine', async () => {
  const url = '/dev/mail';
  for (const source of [{ remoteAddress: '198.51.100.1' }, { headers: { 'x-forwarded-for': '127.0.0.1' } }]) {
    expect((await platform.request({ url, ...source })).status).toBe(404);
  }
});

test('the pages do not exist in production', async () => {
  const environment = { APP_ENV: 'production', APP_URL: 'https://chowk.example', BASE_DOMAIN: 'chowk.example' };
  // In production modules must match the lock file, which may be outdated during development.
  const { modules } = platform.kernel;
  const production = await startAccounts({ environment, modules, sharedWith: platform });
  const id = await deliver('Secret');
  const nowhere = await production.request({ method: 'GET', url: '/dev/nothing' });
  for (const url of ['/dev/mail', '/dev/mail?format=json', `/dev/mail/${id}`]) {
    const { status, body } = await production.request({ method: 'GET', url });
    expect({ status, body }).toEqual({
      status: nowhere.status,
      body: { ...nowhere.body, message: `There is no route GET ${url.split('?')[0]}.` },
    });
  }
});
