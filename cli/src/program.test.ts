import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'otplib';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startFront } from '../../client/testing/front.ts';
import type { ServerAddress } from '../../server/src/db/server-address.ts';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { temporaryFolder } from '../../server/testing/chowkd.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { getPort } from '../../server/testing/raw-http.ts';
import { startProxy } from '../../server/testing/tcp-proxy.ts';
import { chowkProcess, type RunOptions, runChowk, runInTerminal, startChowk } from '../testing/chowk.ts';
import { exitCodes } from './exit.ts';
import { textWidth } from './output/text-width.ts';

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const url = `http://127.0.0.1:${getPort(platform.app)}`;
const acme = await platform.tenant();
const asha = await platform.person({ tenant: acme });

const config = await mkdtemp(join(tmpdir(), 'chowk-config-'));
afterAll(() => rm(config, { recursive: true, force: true }));
const signIn = (folder: string, person: Person, api = url, ...args: string[]) =>
  runChowk(folder, ['login', `--api-url=${api}`, `--email=${person.email}`, '--password-stdin', ...args], {
    input: `${person.password}\n`,
  });
const first = await chowkProcess(config, ['login', `--api-url=${url}`, `--email=${asha.email}`, '--password-stdin'], {
  input: `${asha.password}\n`,
});

const run = (...args: string[]) => runChowk(config, args);
const runWith = (options: RunOptions, ...args: string[]) => runChowk(config, args, options);
async function json(...args: string[]) {
  const { code, out, err } = await run(...args, '--json');
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out);
}

test('signing in with a password remembers the platform, the only tenant and the tokens, for the owner alone', async () => {
  expect(first).toEqual({
    code: 0,
    out: '',
    err: expect.stringContaining(`as ${asha.email}. Commands use the tenant ${acme.id}.`),
  });
  expect((await stat(join(config, 'tokens.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(config)).mode & 0o777).toBe(0o700);
  const { out } = await run('whoami');
  expect(out).toMatch(
    new RegExp(`Platform\\s+${url}\nName\\s+Asha Rao\nEmail\\s+${asha.email}\nTenant\\s+${acme.id}\nRole\\s+Owner`),
  );
  expect((await run('config', 'get', 'tenant')).out).toBe(`${acme.id}\n`);
});

test('a device is signed in after its user has approved it, and its session is refreshed', async () => {
  const folder = await temporaryFolder();
  const { output, exited } = startChowk(folder, ['login', `--api-url=${url}`]);
  const code = await eventually(() => {
    const found = /approve the code (\S+)/.exec(output.err)?.[1];
    if (!found) throw new Error('no code yet');
    return found;
  });
  expect((await asha.post(`/api/v1/device/${code}/approve`)).status).toBe(200);
  expect((await exited).code).toBe(0);
  await expireToken(folder, url);
  expect((await runChowk(folder, ['whoami'])).out).toContain(asha.email);
});

test('a device that is denied in the browser is told so', async () => {
  const { output, exited } = startChowk(await temporaryFolder(), ['login', `--api-url=${url}`]);
  await eventually(() => expect(output.err).toMatch(/approve the code \S+/));
  await asha.post(`/api/v1/device/${/code (\S+)/.exec(output.err)?.[1]}/deny`);
  expect(await exited).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('denied') });
});

test('an account with two-factor authentication needs a code', async () => {
  const person = await platform.person({ tenant: acme });
  const { body } = await person.post('/api/v1/profile/two-factor', { password: person.password });
  await person.post('/api/v1/profile/two-factor/confirm', { otp: await generate({ secret: body.secret }) });
  const folder = await temporaryFolder();
  expect(await signIn(folder, person)).toMatchObject({
    code: exitCodes.notSignedIn,
    err: expect.stringContaining('--otp'),
  });
  const otp = await generate({ secret: body.secret, epoch: Date.now() / 1000 + 30 });
  expect(await signIn(folder, person, url, `--otp=${otp}`)).toMatchObject({ code: 0 });
});

test('who signs out is not signed in any more', async () => {
  const folder = await temporaryFolder();
  await signIn(folder, asha);
  expect((await runChowk(folder, ['logout'])).code).toBe(0);
  expect(await runChowk(folder, ['customers', 'list'])).toMatchObject({
    code: exitCodes.notSignedIn,
    err: "You are not signed in.\nSign in with 'chowk login'.\n",
  });
  expect(await readFile(join(folder, 'tokens.json'), 'utf8')).toBe('{}\n');
});

test('each platform keeps its own tokens and tenant', async () => {
  const folder = await temporaryFolder();
  const other = await startFront(url);
  const agent = await platform.person({ tenant: acme, role: 'Agent' });
  await signIn(folder, asha);
  await signIn(folder, agent, other.url);
  const whoami = async (...args: string[]) =>
    JSON.parse((await runChowk(folder, ['whoami', '--json', ...args])).out).email;
  expect(await whoami()).toBe(agent.email);
  expect(await whoami(`--api-url=${url}/`)).toBe(asha.email);
  await runChowk(folder, ['logout']);
  expect(await whoami(`--api-url=${url}`)).toBe(asha.email);
});

test('a member of several tenants chooses one, and only one of theirs', async () => {
  const folder = await temporaryFolder();
  const person = await platform.person({ tenant: acme });
  const bazaar = await platform.tenant();
  await platform.join(person, bazaar);
  expect((await signIn(folder, person)).err).toContain("Choose a tenant with 'chowk use <tenant>'");
  expect(await runChowk(folder, ['customers', 'list'])).toMatchObject({
    code: exitCodes.refused,
    err: expect.stringContaining('chowk use <tenant>'),
  });
  expect((await runChowk(folder, ['use', 'nowhere'])).code).toBe(exitCodes.refused);
  expect((await runChowk(folder, ['use', bazaar.id])).code).toBe(0);
  const { out } = await runChowk(folder, ['tenants', '--json']);
  expect(JSON.parse(out)).toMatchObject(
    [acme.id, bazaar.id].sort().map((id) => ({ id, is_current: id === bazaar.id })),
  );
});

test('records are created, listed, shown, searched and changed', async () => {
  const created = await json(
    'customers',
    'create',
    '--first-name=Ravi',
    '--phone=+919876543210',
    '--tags=vip',
    '--tags=tea',
    '--no-accepts-marketing',
  );
  expect(created).toMatchObject({ first_name: 'Ravi', tags: ['vip', 'tea'], accepts_marketing: false });
  const order = await json(
    'orders',
    'create',
    '--items=name=Tea, green,quantity=2,price=49.50',
    '--items={"name":"Cup","quantity":1,"price":"10"}',
    `--customer.id=${created.id}`,
  );
  expect(order).toMatchObject({
    customer_id: created.id,
    total: '109.00',
    items: [{ name: 'Tea, green' }, { name: 'Cup' }],
  });
  expect(await json('orders', 'status', order.order_number, 'confirmed')).toMatchObject({ status: 'confirmed' });
  expect(await json('orders', 'show', order.id)).toMatchObject({ order_number: order.order_number });
  expect(await json('customers', 'search', 'ravi')).toMatchObject([{ id: created.id }]);
  const cleared = await json('customers', 'update', created.id, '--phone=', '--email=ravi@example.com');
  expect(cleared).toMatchObject({ phone: null, email: 'ravi@example.com' });
  expect((await run('customers', 'list', '--jq=.[] | select(.first_name == "Ravi") | .email')).out).toBe(
    'ravi@example.com\n',
  );
  const second = await runWith(
    { input: '{"first_name": "Ravi", "notes": "Twice"}' },
    'customers',
    'create',
    '--input=-',
    '--json',
  );
  expect(await json('customers', 'merge', created.id, JSON.parse(second.out).id)).toMatchObject({ id: created.id });
});

test('deleting asks on a terminal, needs --yes elsewhere, and does nothing without a yes', async () => {
  const create = () => json('customers', 'create', '--first-name=Gone');
  const exists = async (id: string) => (await run('customers', 'show', id)).code === 0;
  const [kept, answered, forced] = [await create(), await create(), await create()];
  expect(await run('customers', 'delete', kept.id)).toEqual({
    code: exitCodes.usage,
    out: '',
    err: expect.stringContaining('--yes'),
  });
  const inTerminal = (id: string, input: string) =>
    runInTerminal(config, ['customers', 'delete', id], { columns: 120, input });
  for (const answer of ['n\n', '\n', 'yellow\n']) {
    const { code, screen } = await inTerminal(kept.id, answer);
    expect([code, screen]).toEqual([1, expect.stringContaining(`Delete a customer ${kept.id}? [y/N] `)]);
    expect(screen).toContain('Nothing was changed.');
  }
  expect((await inTerminal(answered.id, 'y\n')).code).toBe(0);
  expect((await run('customers', 'delete', forced.id, '-y')).code).toBe(0);
  expect([await exists(kept.id), await exists(answered.id), await exists(forced.id)]).toEqual([true, false, false]);
});

test('a product is named by its SKU, and stock may go down', async () => {
  await json('products', 'create', '--sku=TEA-1', '--title=Tea', '--price=49.50', '--stock=10');
  expect(await json('products', 'stock', 'TEA-1', '-3')).toMatchObject({ stock: 7 });
  expect(await json('settings', 'update', '--set=customers.vip_order_threshold=12')).toMatchObject({
    'customers.vip_order_threshold': 12,
  });
});

test('a list without a terminal is lines of exact values, and --all reads every page', async () => {
  const input = [
    'sku,title,price',
    ...Array.from({ length: 230 }, (_, index) => `BULK-${index},Bulk ${index},5.00`),
  ].join('\n');
  expect((await chowkProcess(config, ['products', 'import', '-'], { input })).err).toMatch(/230/);
  const { out, err } = await run('products', 'list', '--search=Bulk', '--all');
  const lines = out.trim().split('\n');
  expect(new Set(lines.map((line) => line.split('\t')[0])).size).toBe(230);
  expect(lines[0]).toMatch(/^BULK-\d+\tBulk \d+\tactive\t5\.00\t.*\t\d{4}-\d\d-\d\dT[\d:.]+Z\t/);
  expect(err).toBe('');
  expect((await run('products', 'list', '--search=Bulk', '--limit=120')).out.trim().split('\n')).toHaveLength(120);
  expect(await json('products', 'list', '--search=Bulk', '--all')).toHaveLength(230);
});

test('an export is complete or not there, and a pipe gets it as it is', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'products.csv');
  const saved = await run('products', 'export', `--output=${file}`);
  expect(saved).toEqual({ code: 0, out: '', err: `Wrote ${file}.\n` });
  expect((await chowkProcess(config, ['products', 'export'])).out).toBe(await readFile(file, 'utf8'));
  expect(await readdir(folder)).toEqual(['products.csv']);
});

test('on a terminal, imports and exports show their progress, and a file gets the name that the platform gives', async () => {
  const cwd = await temporaryFolder();
  const rows = Array.from({ length: 2_000 }, (_, index) => `BAR-${index},Bar ${index},5.00`);
  await writeFile(join(cwd, 'bars.csv'), ['sku,title,price', ...rows].join('\n'));
  const imported = await runInTerminal(config, ['products', 'import', 'bars.csv', '--no-color'], { columns: 80, cwd });
  expect(imported.screen).toMatch(/Uploading \[=* *\] \d+ % of \d+\.\d kB/);
  expect(imported.screen).toMatch(/Created +2000\n/);
  const exported = await runInTerminal(config, ['products', 'export'], { columns: 80, cwd });
  const [, name = ''] = /Wrote (products-[\d-]+\.csv)\.\n/.exec(exported.screen) ?? [];
  expect(exported.screen).toContain('Downloading ');
  expect((await readFile(join(cwd, name), 'utf8')).split('\n').length).toBeGreaterThan(2_000);
  const again = await runInTerminal(config, ['products', 'export'], { columns: 80, cwd });
  expect(again).toMatchObject({ code: exitCodes.general, screen: expect.stringContaining('exists already') });
});

/** A server that begins a download and never ends it. */
async function endlessDownload(): Promise<{ readonly url: string; destroy(): void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '1000000' });
    response.write('sku,title\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    destroy: () => server.closeAllConnections(),
  };
}

test.each([
  ['interrupted', 'SIGINT', 130],
  ['ended', 'SIGTERM', 143],
] as const)('a download that is %s leaves no file', async (_, signal, code) => {
  const folder = await temporaryFolder();
  const server = await endlessDownload();
  const { child, exited } = startChowk(config, [
    'products',
    'export',
    `--output=${join(folder, 'p.csv')}`,
    `--api-url=${server.url}`,
  ]);
  await eventually(async () => expect(await readdir(folder)).toHaveLength(1));
  child.kill(signal);
  expect((await exited).code).toBe(code);
  expect(await readdir(folder)).toEqual([]);
});

test('a download whose connection is lost leaves no file', async () => {
  const folder = await temporaryFolder();
  const server = await endlessDownload();
  await writeFile(join(folder, 'p.csv'), 'old');
  const { exited } = startChowk(config, [
    'products',
    'export',
    `--output=${join(folder, 'p.csv')}`,
    `--api-url=${server.url}`,
  ]);
  await eventually(async () => expect(await readdir(folder)).toHaveLength(2));
  server.destroy();
  expect((await exited).code).toBe(exitCodes.network);
  expect(await readdir(folder)).toEqual(['p.csv']);
  expect(await readFile(join(folder, 'p.csv'), 'utf8')).toBe('old');
});

/** Makes the stored access token look expired. */
async function expireToken(folder: string, api: string): Promise<void> {
  const path = join(folder, 'tokens.json');
  const tokens = JSON.parse(await readFile(path, 'utf8'));
  tokens[api].expiresAt = Date.now() - 1_000;
  await writeFile(path, JSON.stringify(tokens));
}

test('processes that refresh at once share one refresh, also after one that died with the lock', async () => {
  const folder = await temporaryFolder();
  const front = await startFront(url);
  await signIn(folder, asha, front.url);
  await expireToken(folder, front.url);
  const gone = startChowk(folder, ['version']);
  await gone.exited;
  await writeFile(join(folder, 'tokens.lock'), String(gone.child.pid));
  front.requests.length = 0;
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => chowkProcess(folder, ['whoami'])));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(front.requests.filter(({ path }) => path === '/api/v1/auth/refresh')).toHaveLength(1);
  expect((await readdir(folder)).sort()).toEqual(['config.json', 'tokens.json']);
});

test.each<[string, readonly string[], number, RegExp]>([
  ['an unknown command', ['custmers', 'list'], exitCodes.usage, /Did you mean 'chowk customers'\?/],
  ['an unknown verb', ['customers', 'lits'], exitCodes.usage, /Did you mean 'chowk customers list'\?/],
  [
    'an unknown option',
    ['customers', 'list', '--serch=x'],
    exitCodes.usage,
    /no option --serch\. Did you mean --search\?/,
  ],
  ['a missing argument', ['orders', 'status', '7'], exitCodes.usage, /Missing: <status>/],
  ['too many arguments', ['customers', 'list', 'ravi'], exitCodes.usage, /Unexpected: 'ravi'/],
  ['a wrong choice', ['orders', 'status', '7', 'sent'], exitCodes.usage, /must be one of pending/],
  ['a wrong limit', ['customers', 'list', '--limit=0'], exitCodes.usage, /--limit must be/],
  ['a wrong filter', ['whoami', '--jq=.['], exitCodes.usage, /--jq: .*syntax error/],
  ['an invalid address', ['whoami', '--api-url=ftp://x'], exitCodes.usage, /not the address of a platform/],
  [
    'input that is refused',
    ['orders', 'create', '--items=name=Tea,quantity=0,price=x'],
    exitCodes.refused,
    /--items \(0\.quantity\): .*\n.*--items \(0\.price\)/,
  ],
  ['a record that does not exist', ['orders', 'show', '99999'], exitCodes.refused, /no order 99999/],
  ['another tenant', ['customers', 'list', '--tenant=nowhere'], exitCodes.refused, /no such tenant.*\n.*chowk tenants/],
  [
    'a missing file',
    ['products', 'import', '/nowhere/x.csv'],
    exitCodes.general,
    /Cannot open \/nowhere\/x\.csv: there is no such file/,
  ],
  ['no network', ['whoami', '--api-url=http://127.0.0.1:9'], exitCodes.network, /Cannot reach http:\/\/127\.0\.0\.1:9/],
  [
    'not signed in',
    ['whoami', `--api-url=${url.replace('127.0.0.1', 'localhost')}`],
    exitCodes.notSignedIn,
    /chowk login/,
  ],
])('%s is explained', async (_, args, code, message) => {
  const outcome = await run(...args);
  expect(outcome).toMatchObject({ code, out: '', err: expect.stringMatching(message) });
  expect(outcome.err).not.toMatch(/\n\s+at /);
});

test('an error of the server has an exit code of its own', async () => {
  const front = await startFront(url);
  front.faults.push(...Array.from({ length: 5 }, () => ({ status: 500 })));
  const outcome = await runWith({ variables: { CHOWK_TOKEN: asha.accessToken } }, 'whoami', `--api-url=${front.url}`);
  expect(outcome).toMatchObject({ code: exitCodes.server, err: expect.stringContaining('Try again later') });
});

test('a token in the environment is used instead of a session', async () => {
  const folder = await temporaryFolder();
  const variables = { CHOWK_TOKEN: asha.accessToken, CHOWK_API_URL: url, CHOWK_TENANT: acme.id };
  expect(JSON.parse((await runChowk(folder, ['whoami', '--json'], { variables })).out)).toMatchObject({
    email: asha.email,
    role: 'Owner',
  });
  expect(await runChowk(folder, ['whoami'], { variables: { ...variables, CHOWK_TOKEN: 'wrong' } })).toMatchObject({
    code: exitCodes.notSignedIn,
    err: expect.stringContaining('CHOWK_TOKEN'),
  });
});

test('the api command sends any request', async () => {
  const { out } = await run('api', 'get', 'customers', '--field=limit=1', '--jq=.pagination | keys[0]');
  expect(out).toBe('has_more\n');
  const created = await runWith(
    { input: '{"first_name": "Meena"}' },
    'api',
    'POST',
    '/api/v1/customers',
    '--input=-',
    '--field=tags=["a:b"]',
  );
  expect(JSON.parse(created.out)).toMatchObject({ customer: { first_name: 'Meena', tags: ['a:b'] } });
  expect((await run('api', 'GET', 'products/export?search=Bulk 1')).out).toMatch(/^\W*id,sku,title/);
  expect((await run('api', 'FETCH', 'customers')).code).toBe(exitCodes.usage);
});

test('GraphQL operations come from options, files and the standard input', async () => {
  const query = 'query Me($limit: Int!) { orders: __typename customers(first: $limit) { __typename } }';
  const simple = await run('graphql', '--query={ __typename }', '--jq=.data.__typename');
  expect(simple).toMatchObject({ code: 0, out: 'Query\n' });
  expect((await runWith({ input: '{ __typename }' }, 'graphql')).out).toContain('"__typename": "Query"');
  const wrong = await runWith({ input: query.replace('customers', 'custmers') }, 'graphql', '--variables={"limit": 1}');
  expect(wrong).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('custmers') });
  const { hash } = await json('persisted-queries', 'create', '--name=Type', '--query={ __typename }').then(
    (body) => body.persisted_query ?? body,
  );
  expect((await run('graphql', `--persisted=${hash}`, '--jq=.data.__typename')).out).toBe('Query\n');
});

test('notifications are shown as they arrive, also those missed while the connection was lost', async () => {
  const proxy = await startProxy({ host: '127.0.0.1', port: getPort(platform.app) } as ServerAddress);
  const folder = await temporaryFolder();
  const person = await platform.person({ tenant: acme });
  await signIn(folder, person, `http://127.0.0.1:${proxy.address.port}`);
  const send = (title: string) => acme.context('orders').notify(person.id, { type: 'order.created', title });
  const { child, output, exited } = startChowk(folder, ['notifications', 'watch', '--json']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const titles = () => output.out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).title]));
  await eventually(() => expect(output.err).toContain('Waiting'));
  await send('first');
  await eventually(() => expect(titles()).toEqual(['first']));
  proxy.cut();
  await eventually(() => expect(output.err).toContain('The connection was lost'));
  await send('second');
  await send('third');
  proxy.heal();
  await eventually(() => expect(titles()).toEqual(['first', 'second', 'third']));
  await send('fourth');
  await eventually(() => expect(titles()).toEqual(['first', 'second', 'third', 'fourth']));
  child.kill('SIGINT');
  expect((await exited).code).toBe(130);
});

/** A platform whose one customer has the given name. */
async function namedCustomer(first_name: string): Promise<string> {
  const customer = {
    id: '01a1ec63-63d0-7515-87a5-9ed84982e055',
    first_name,
    total_orders: 1,
    total_spent: '5.00',
    currency: 'INR',
    email: 'ravi@example.com',
    created_at: new Date().toISOString(),
  };
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ customers: [customer, customer], pagination: { next_cursor: 'x', has_more: true } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  [80, /^ID +NAME +ORDERS +SPENT$/],
  [200, /^ID +NAME +ORDERS +SPENT +EMAIL +CREATED AT$/],
])('a list fits a terminal of %d columns', async (columns, titles) => {
  const address = await namedCustomer('रविशंकर 李小龙 the very long name of a customer that no narrow table can show');
  const args = ['customers', 'list', '--no-color', '--limit=2', `--api-url=${address}`];
  const { screen, code } = await runInTerminal(config, args, { columns });
  const [title = '', ...lines] = screen.trimEnd().split('\n');
  expect(code).toBe(0);
  expect(title).toMatch(titles);
  expect(Math.max(...lines.slice(0, 2).map(textWidth))).toBeLessThanOrEqual(columns);
  expect(lines[0]).toMatch(
    columns === 80 ? /रविशंकर 李小龙.*… +1 +5\.00 INR$/ : /can show +1 +5\.00 INR +ravi@example\.com +just now$/,
  );
  expect(screen).toMatch(/These are the first 2\. Use --limit=<number> or --all for more\./);
});

test('colors are for terminals whose user wants them', async () => {
  const args = ['orders', 'list', '--limit=1'];
  const code = '\u001b[';
  expect((await runInTerminal(config, args, { columns: 100 })).screen).toContain(code);
  const plain = { columns: 100, variables: { NO_COLOR: '1' } };
  expect((await runInTerminal(config, args, plain)).screen).not.toContain(code);
  expect((await runInTerminal(config, [...args, '--no-color'], { columns: 100 })).screen).not.toContain(code);
  expect((await run(...args)).out).not.toContain(code);
});

test('names cannot send commands to the terminal', async () => {
  const address = await namedCustomer('Evil\u001b]0;owned\u0007\u009b31m');
  const args = ['customers', 'list', '--limit=2', `--api-url=${address}`];
  const { screen } = await runInTerminal(config, [...args, '--no-color'], { columns: 200 });
  expect(screen).toContain('Evil\ufffd]0;owned\ufffd\ufffd31m');
  expect((await run(...args)).out).toContain('Evil\ufffd]0;owned');
  expect((await run(...args, '--json')).out).toContain('Evil\\u001b]0;owned\\u0007\\u009b31m');
});

test('a reader that stops reading is no error', async () => {
  const { child, exited } = startChowk(config, ['products', 'list', '--all', '--json']);
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await exited).toMatchObject({ code: 0, err: '' });
});
