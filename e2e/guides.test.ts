import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { owner, startInstalledPlatform } from './platform.ts';

/* Every snippet of the guides is run against a platform, as a reader would do it. */

const execute = promisify(execFile);
const guides = resolve(import.meta.dirname, '../docs/guides');
const names = (await readdir(guides)).filter((file) => file.endsWith('.md')).map((file) => file.replace('.md', ''));
const texts = new Map<string, string>();
for (const name of names) texts.set(name, await readFile(join(guides, `${name}.md`), 'utf8'));

/** The snippets of a guide in one language, in their order. */
function snippets(name: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...(texts.get(name) ?? '').matchAll(fence)].map(([, code]) => code as string);
}

const programs = names.filter((name) => snippets(name, 'ts').length > 0);
const scripts = names.filter((name) => snippets(name, 'sh').length > 0);
const operations = names.flatMap((name) => snippets(name, 'graphql').map((query) => [name, query] as const));

// In this folder, so that the packages of the repository are found.
const folder = await mkdtemp(join(import.meta.dirname, '.integrator-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const hasTools = await execute('sh', ['-c', 'command -v bash curl jq']).then(
  () => true,
  () => false,
);

// Webhooks may be sent to this process.
const platform = await startInstalledPlatform(undefined, afterAll, { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
async function post(path: string, body: object): Promise<any> {
  const { url, tenant, token } = platform;
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

await post('/products', { sku: 'TEA-250', title: 'Tea', price: '49.50', stock: 10 });
const views = ['customers.view', 'orders.view', 'products.view', 'activity.view'];
const client = await post('/api-clients', { name: 'Guides', scopes: [...views, 'orders.create', 'orders.edit'] });
const environment = {
  PATH: process.env.PATH ?? '',
  CHOWK_URL: platform.url,
  CHOWK_TENANT: platform.tenant,
  CHOWK_TOKEN: platform.token,
  CHOWK_EMAIL: owner.email,
  CHOWK_PASSWORD: owner.password,
  CHOWK_CLIENT_ID: client.api_client.id,
  CHOWK_CLIENT_SECRET: client.client_secret,
};
for (const name of programs) {
  await writeFile(join(folder, `${name}.ts`), `${snippets(name, 'ts').join('')}export {};\n`);
}

test('the guides have snippets in every language', () => {
  expect(programs.length).toBeGreaterThanOrEqual(7);
  expect(scripts.length).toBeGreaterThanOrEqual(7);
  expect(operations.length).toBeGreaterThanOrEqual(2);
});

test('the TypeScript of the guides has no type errors', { timeout: 120_000 }, async () => {
  const compilerOptions = {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
    allowImportingTsExtensions: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const compiler = resolve(import.meta.dirname, '../node_modules/.bin/tsc');
  await execute(compiler, ['-p', folder]).catch(({ stdout, message }) => expect.fail(stdout || message));
});

test.each(programs)('the program of the guide %s runs', { timeout: 60_000 }, async (name) => {
  const { stderr } = await execute(process.execPath, [join(folder, `${name}.ts`)], {
    env: environment,
    timeout: 50_000,
  });
  expect(stderr).toBe('');
});

test('the receiver of the guide verifies a webhook with its secret, and no other', async () => {
  const { verify } = await import(join(folder, 'webhooks.ts'));
  const { promise, resolve } = Promise.withResolvers<{ headers: Headers; body: string }>();
  const server = createServer(async (request, response) => {
    resolve({ headers: new Headers(request.headers as Record<string, string>), body: await text(request) });
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { webhook, secret } = await post('/webhooks', { url, events: ['customer.created'] });
  const { customer } = await post('/customers', { first_name: 'Devika' });
  const { headers, body } = await promise;
  expect(verify(secret, headers, body)).toMatchObject({
    type: 'customer.created',
    api_version: '2026-11-01',
    data: { customer: { id: customer.id } },
  });
  const other = await post(`/webhooks/${webhook.id}/secret`, {});
  expect(() => verify(other.secret, headers, body)).toThrow('No matching signature');
});

test('the app of the guide gets access, renews it and reads, after a user has approved it', async () => {
  const { app, client_secret } = await post('/apps', {
    name: 'Ledger',
    redirect_uris: ['https://ledger.example.com/callback'],
    scopes: ['customers.view', 'orders.view'],
    acts_as: 'organization',
    has_secret: true,
  });
  vi.stubEnv('CHOWK_URL', platform.url).stubEnv('APP_ID', app.id).stubEnv('APP_SECRET', client_secret);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { connect, finish, renew, clientFor } = await import(join(folder, 'apps.ts'));
  const { address, ...kept } = connect();
  // What the page does on which the user approves the app.
  const request = Object.fromEntries(new URL(address).searchParams);
  const approval = { ...request, approved_scopes: ['orders.view'] };
  const { redirect_to } = await post('/app-requests/approve', approval);
  const token = await finish(new URL(redirect_to).searchParams, kept);
  const chowk = clientFor(await renew(token));
  expect((await chowk.orders.list({ limit: 1 })).pagination).toBeDefined();
  await expect(chowk.customers.list()).rejects.toMatchObject({ status: 403 });
});

test.skipIf(!hasTools).each(scripts)('the commands of the guide %s succeed', { timeout: 60_000 }, async (name) => {
  const script = ['set -e -o pipefail', ...snippets(name, 'sh')].join('\n');
  const run = execute('bash', ['-c', script], { env: environment });
  await run.catch(({ message, stdout }) => expect.fail(`${message}\n${stdout}`));
});

test.each(operations)('an operation of the guide %s has no errors', async (_, query) => {
  const { url, tenant, token } = platform;
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  expect(await response.json()).not.toHaveProperty('errors');
});

test('every guide is a page beside the reference, in the same policy, with links that work', async () => {
  const page = await fetch(`${platform.url}/docs/first-call`);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  const html = await page.text();
  const links = [...html.matchAll(/<nav class="side"[\s\S]*?<\/nav>/g)]
    .flatMap(([navigation]) => [...navigation.matchAll(/href="(\/docs\/[a-z-]+)"/g)])
    .map(([, link]) => link as string);
  expect(links).toHaveLength(33);
  expect(links).toEqual(expect.arrayContaining(names.map((name) => `/docs/${name}`)));
  const seen = new Set<string>();
  for (const link of links) {
    const text = await (await fetch(platform.url + link)).text();
    const [main = ''] = /<main>[\s\S]*<\/main>/.exec(text) ?? [];
    // No Markdown is left over outside of code.
    const prose = main.replace(/<pre>[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, '');
    expect(prose).toMatch(/<h1 id=/);
    expect({ link, rest: prose.match(/```|\]\(|^#+ |\|---/m) }).toEqual({ link, rest: null });
    for (const [, target] of main.matchAll(/href="(\/docs\/[^"#]+)/g)) seen.add(target as string);
  }
  for (const target of seen)
    expect({ target, status: (await fetch(platform.url + target)).status }).toEqual({ target, status: 200 });
});
