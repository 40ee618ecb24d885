import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Failure } from '@chowk/kit/kernel';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { OutboundClient } from './outbound-client.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let connections = 0;
let stuck: Promise<unknown> | undefined;
const received: Received[] = [];
const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/hello': (_, response) => response.writeHead(201, { 'x-one': 'a', 'set-cookie': ['a=1', 'b=2'] }).end('hello'),
  '/large': (_, response) => response.end('x'.repeat(100_000)),
  '/silent': () => {},
  '/stuck': (_, response) => {
    stuck = once(response, 'close');
    response.writeHead(200).write('begin');
  },
  '/cut': (_, response) => response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy()),
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/elsewhere': (_, response) => response.writeHead(307, { location: `http://localhost:${port}/hello` }).end(),
  '/metadata': (_, response) => response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end(),
  '/internal': (_, response) => response.writeHead(302, { location: `https://intranet.example:${port}/` }).end(),
  '/to-file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/see-other': (_, response) => response.writeHead(303, { location: '/hello' }).end(),
};

const listener: RequestListener = async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method, url, headers } = request;
  received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
  const answer = routes[url ?? ''];
  if (answer) answer(request, response);
  else response.writeHead(404).end();
};

async function listen(server: Server, host?: string): Promise<number> {
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

// On all addresses of this machine, so that a request to any spelling of them would arrive.
const port = await listen(createServer(listener));
const here = `http://127.0.0.1:${port}`;

const names: Record<string, readonly string[]> = {
  'intranet.example': ['10.0.0.5'],
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'xn--bcher-kva.example': ['192.168.1.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'six-to-four.example': ['2002:7f00:1::'],
  localhost: ['127.0.0.1'],
  'localhost.': ['127.0.0.1'],
  'intranet.example.': ['10.0.0.5'],
};
const resolve = async (hostname: string) => {
  const addresses = names[hostname];
  if (!addresses) throw Object.assign(new Error(`queryA ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
  return addresses;
};

const strict = new OutboundClient({ allowedHosts: [], resolve });
const client = new OutboundClient({ allowedHosts: ['127.0.0.1'], resolve });
const permissive = new OutboundClient({ allowedHosts: ['127.0.0.1', `localhost:${port}`], resolve });

async function catchCode(sent: Promise<unknown>): Promise<string> {
  return sent.then(
    () => 'answered',
    (failure: Failure) => failure.code,
  );
}

beforeEach(() => {
  received.length = 0;
  connections = 0;
});

const privateHosts = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0X7F.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.0x1',
  '127.0.0.%31',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.0.1',
  '192.168.257',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'intranet.example',
  'INTRANET.example',
  'intranet.example.',
  'loopback.example',
  'loopback6.example',
  'mapped.example',
  'metadata.example',
  'mixed.example',
  'bücher.example',
  'nat64.example',
  'six-to-four.example',
];

test.each(privateHosts)('a request to %s is refused before a connection is opened', async (host) => {
  expect(await catchCode(strict.request(`https://${host}:${port}/hello`))).toBe('outbound.address_refused');
  expect(connections).toBe(0);
});

test.each(privateHosts)('a server of another protocol at %s is not located', async (host) => {
  const bare = host.replace(/^\[|\]$/g, '');
  expect(await catchCode(strict.locate({ host: bare, port: 993 }))).toBe('outbound.address_refused');
});

test.each([
  '',
  'a b',
  'mail.example/inbox',
  'user@mail.example',
  'mail.example:993',
  '1.2.3.4.5',
  'a?b',
  'a#b',
  '[::1',
])('%j is not the name of a host', async (host) => {
  expect(await catchCode(strict.locate({ host, port: 993 }))).toBe('outbound.invalid_host');
});

test('a server of another protocol is located at the address that was checked, or that the operator allows', async () => {
  const lookups: string[] = [];
  const located = new OutboundClient({
    allowedHosts: ['localhost', '10.0.0.7'],
    resolve: async (name) => {
      lookups.push(name);
      return ['93.184.215.14', '93.184.215.15'];
    },
  });
  const address = '93.184.215.14';
  expect(await located.locate({ host: 'MAIL.example', port: 993 })).toEqual({ address, isAllowed: false });
  expect(lookups).toEqual(['mail.example']);
  expect(await located.locate({ host: '2606:4700::1111', port: 993 })).toMatchObject({ address: '2606:4700::1111' });
  expect(await located.locate({ host: '10.0.0.7', port: 143 })).toEqual({ address: '10.0.0.7', isAllowed: true });
  expect((await located.locate({ host: 'localhost', port: 143 })).address).toMatch(/^(127\.0\.0\.1|::1)$/);
  await expect(strict.locate({ host: 'unknown.example', port: 993 })).rejects.toThrow(
    'The host unknown.example cannot be reached: the name does not exist.',
  );
});

test.each([
  ['not a url', 'outbound.invalid_url'],
  ['/hello', 'outbound.invalid_url'],
  ['https://', 'outbound.invalid_url'],
  ['https://1.2.3.4.5', 'outbound.invalid_url'],
  ['https://[fe80::1%25eth0]', 'outbound.invalid_url'],
  ['file:///etc/passwd', 'outbound.invalid_url'],
  ['ftp://shop.example', 'outbound.invalid_url'],
  ['http://shop.example', 'outbound.not_https'],
  ['https://user@shop.example', 'outbound.url_with_credentials'],
  ['https://:pass@shop.example', 'outbound.url_with_credentials'],
  ['https://shop.example:465', 'outbound.port_refused'],
  ['https://shop.example:22', 'outbound.port_refused'],
])('%s is refused as %s, also when it is only stored', async (url, code) => {
  expect(await catchCode(strict.request(url))).toBe(code);
  expect(() => strict.check(url)).toThrow(expect.objectContaining({ code }));
});

test('the addresses that are checked are those of the connection: the name is looked up once', async () => {
  const answers = [['127.0.0.1'], ['93.184.215.14']];
  const rebinding = new OutboundClient({ allowedHosts: [], resolve: async () => answers.shift() ?? [] });
  rebinding.check(`https://rebind.example:${port}/hello`);
  expect(await catchCode(rebinding.request(`https://rebind.example:${port}/hello`))).toBe('outbound.address_refused');
  expect(answers).toEqual([['93.184.215.14']]);
  expect(connections).toBe(0);
});

test('the response has status, headers and body', async () => {
  const { status, headers, body } = await client.request(`${here}/hello`, {
    method: 'POST',
    headers: { 'X-Custom': '1' },
    body: 'ping',
  });
  expect({ status, body: body.toString() }).toEqual({ status: 201, body: 'hello' });
  expect(headers).toMatchObject({ 'x-one': 'a', 'set-cookie': 'a=1, b=2' });
  expect(received).toMatchObject([
    { method: 'POST', body: 'ping', headers: { 'x-custom': '1', 'user-agent': 'Chowk/1.0.0' } },
  ]);
});

test('a host is allowed by its exact name and, where one is given, its port', async () => {
  const other = await listen(createServer(listener));
  expect(await catchCode(permissive.request(`http://localhost:${port}/hello`))).toBe('answered');
  expect(await catchCode(permissive.request(`http://localhost:${other}/hello`))).toBe('outbound.not_https');
  expect(await catchCode(permissive.request(`http://127.0.0.1.localhost:${port}/hello`))).toBe('outbound.not_https');
});

describe('redirects', () => {
  test.each([
    ['/metadata', 'outbound.address_refused'],
    ['/internal', 'outbound.address_refused'],
    ['/elsewhere', 'outbound.not_https'],
    ['/to-file', 'outbound.invalid_url'],
  ])('a redirect (%s) to where no request may go is refused', async (path, code) => {
    expect(await catchCode(client.request(`${here}${path}`))).toBe(code);
    expect(received.map(({ url }) => url)).toEqual([path]);
  });

  test('are followed five times at most', async () => {
    expect(await catchCode(client.request(`${here}/loop`))).toBe('outbound.too_many_redirects');
    expect(received).toHaveLength(6);
  });

  test('are returned when none may be followed', async () => {
    const { status } = await client.request(`${here}/loop`, { maxRedirects: 0 });
    expect(status).toBe(302);
    expect(received).toHaveLength(1);
  });

  test('to another host carry no credentials', async () => {
    const headers = {
      Authorization: 'Bearer secret',
      'PRIVATE-TOKEN': 'secret',
      Cookie: 'a=secret',
      Accept: 'text/plain',
    };
    await permissive.request(`${here}/elsewhere`, { method: 'POST', headers, body: 'ping' });
    expect(received).toMatchObject([
      { headers: { authorization: 'Bearer secret', 'private-token': 'secret', cookie: 'a=secret' } },
      { method: 'POST', body: 'ping', headers: { accept: 'text/plain' } },
    ]);
    expect(JSON.stringify(received[1])).not.toContain('secret');
  });

  test('on the same host keep the credentials, and 303 turns a POST into a GET', async () => {
    const headers = { authorization: 'Bearer secret', 'content-type': 'text/plain' };
    await client.request(`${here}/see-other`, { method: 'POST', headers, body: 'ping' });
    expect(received[1]).toMatchObject({ method: 'GET', body: '', headers: { authorization: 'Bearer secret' } });
    expect(received[1]?.headers).not.toHaveProperty('content-type');
  });
});

describe('limits', () => {
  test('a response above the maximum size fails', async () => {
    expect(await catchCode(client.request(`${here}/large`, { maxBytes: 99_999 }))).toBe('outbound.response_too_large');
    expect((await client.request(`${here}/large`, { maxBytes: 100_000 })).body).toHaveLength(100_000);
  });

  test('a response above the maximum size can be cut off', async () => {
    const { body } = await client.request(`${here}/large`, { maxBytes: 1_000, truncate: true });
    expect(body).toHaveLength(1_000);
  });

  test.each(['/silent', '/stuck'])('a server that does not finish its response (%s) is given up', async (path) => {
    expect(await catchCode(client.request(`${here}${path}`, { timeoutMs: 300 }))).toBe('outbound.timeout');
  });

  test('a download that nobody reads ends at its timeout', async () => {
    const { body } = await client.download(`${here}/stuck`, { timeoutMs: 300 });
    await stuck;
    expect(await catchCode(Array.fromAsync(body))).toBe('outbound.timeout');
  });
});

test.each([
  ['https://unknown.example', 'The host unknown.example cannot be reached: the name does not exist.'],
  ['http://127.0.0.1:1/', 'The host 127.0.0.1:1 cannot be reached: it refused the connection.'],
  [
    `https://127.0.0.1:${port}/`,
    `The host 127.0.0.1:${port} cannot be reached: no secure connection can be established.`,
  ],
  [`${here}/cut`, `The host 127.0.0.1:${port} cannot be reached: the connection failed.`],
])('the failure of %s says what is wrong', async (url, message) => {
  await expect(client.request(url)).rejects.toMatchObject({ code: 'outbound.unreachable', status: 502, message });
});

test('requests share no connection', async () => {
  await Promise.all([client.request(`${here}/hello`), client.request(`${here}/hello`)]);
  await client.request(`${here}/hello`);
  expect(connections).toBe(3);
});
