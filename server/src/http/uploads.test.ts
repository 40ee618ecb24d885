import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { action, type Ctx, invalid, named, sql, Type, UploadedFile, Uuid } from '@chowk/kit/kernel';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { filePart, formBody, formHeaders, formRequest, textPart } from '../../testing/form-body.ts';
import { startPlatform } from '../../testing/platform.ts';
import { getPort, sendLines } from '../../testing/raw-http.ts';
import { storedFiles } from '../../testing/stored-files.ts';
import { testModule } from '../../testing/test-module.ts';
import { checkModule } from '../loader/check-modules.ts';

const megabyte = 1_048_576;
const Document = named('Document', Type.Object({ id: Uuid, type: Type.String(), size: Type.Integer() }));

/** The transaction can no longer be committed, but the client learns that only from its COMMIT. */
async function endConnection({ db }: Ctx): Promise<void> {
  const backend = await db.row<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  await kernel.central.db.run(sql`SELECT pg_terminate_backend(${backend?.pid})`);
}

const upload = action({
  summary: 'Upload a document',
  http: 'POST /vault/:shelf/documents',
  needs: 'vault.edit',
  accepts: 'multipart',
  input: Type.Object({
    shelf: Type.Integer(),
    file: UploadedFile({ types: ['image/jpeg', 'image/png', 'application/pdf'], maxBytes: 10 * megabyte }),
    note: Type.Optional(Type.String({ maxLength: 10 })),
    copies: Type.Optional(Type.Integer({ maximum: 3 })),
  }),
  output: Document,
  answer: { key: 'document', status: 201 },
  run: async (ctx, { file, note }) => {
    const written = await ctx.files.write(file);
    if (note === 'refuse') throw invalid({ note: 'The note is refused.' });
    return ctx.tx(async (tx) => {
      const stored = await tx.files.keep(written);
      if (note === 'undo') throw new Error('undo');
      if (note === 'lost') await endConnection(tx);
      return stored;
    });
  },
});
const vault = testModule({ alias: 'vault', actions: { 'vault.upload': upload } });
const platform = await startPlatform({
  modules: [{ ...vault, manifest: { ...vault.manifest, permissions: [{ name: 'vault.edit', description: 'Edit' }] } }],
});
const { kernel } = platform;
const acme = await platform.tenant();
const clerk = acme.caller('vault.edit');
const url = '/api/v1/vault/7/documents';
const send = (...parts: Parameters<typeof formRequest> extends [string, ...infer Rest] ? Rest : never) =>
  clerk.request(formRequest(url, ...parts));

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(3_000)]);
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n');

/** Removes what a test has stored, so that the next one begins with nothing. */
afterEach(async () => {
  const ctx = acme.context('vault');
  for (const { id } of await acme.db.rows<{ id: string }>(sql`SELECT id FROM stored_files`)) await ctx.files.remove(id);
  expect(await storedFiles(kernel)).toEqual([]);
});

test('an uploaded file is stored with the type of its content, whatever its name and header say', async () => {
  const { status, body } = await send(filePart(png, 'report.pdf', 'text/html'), textPart('copies', '2'));
  expect({ status, body }).toEqual({
    status: 201,
    body: { document: { id: expect.any(String), type: 'image/png', size: png.length } },
  });
  const stored = await buffer(await acme.context('vault').files.read(body.document.id));
  expect(stored.equals(png)).toBe(true);
  expect(await storedFiles(kernel)).toEqual([`files/private/tenants/${acme.id}/vault/${body.document.id}`]);
});

test.each([
  ['fails', 'undo', 500],
  ['never begins', 'refuse', 422],
])('an upload whose transaction %s leaves nothing', async (_, note, status) => {
  for (const headers of [formHeaders, { ...formHeaders, 'idempotency-key': `${note}-1` }]) {
    const request = { ...formRequest(url, filePart(png), textPart('note', note)), headers };
    expect((await clerk.request(request)).status).toBe(status);
    expect(await storedFiles(kernel)).toEqual([]);
    expect(await kernel.central.db.rows(sql`SELECT id FROM unsettled_files`)).toEqual([]);
  }
});

test('a file is not deleted while its transaction may have been committed', async () => {
  const { db } = kernel.central;
  expect((await send(filePart(png), textPart('note', 'lost'))).status).toBeGreaterThanOrEqual(500);
  expect(await storedFiles(kernel)).toHaveLength(1);
  await db.run(sql`UPDATE unsettled_files SET since = now() - interval '2 hours'`);
  expect(await kernel.files.settleOld()).toBe(1);
  expect(await storedFiles(kernel)).toEqual([]);
});

test('an upload is repeated with its Idempotency-Key only if the file is the same', async () => {
  const request = (content: Buffer) => ({
    ...formRequest(url, filePart(content)),
    headers: { ...formHeaders, 'idempotency-key': 'upload-1' },
  });
  const first = await clerk.request(request(png));
  const again = await clerk.request(request(png));
  expect(again.body).toEqual(first.body);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(await storedFiles(kernel)).toHaveLength(1);
  expect((await clerk.request(request(pdf))).body.code).toBe('http.idempotency_mismatch');
});

test('the audit log records the type and the size of a file, not its name or content', async () => {
  const { body } = await send(filePart(png, 'Asha Rao.png'));
  await kernel.audit.flush();
  const entry = await acme.db.row<{ input: unknown }>(sql`
    SELECT input FROM module_bus_audit_log WHERE action = 'vault.upload' AND resource_id = ${body.document.id}`);
  expect(entry?.input).toEqual({ shelf: 7, file: { type: 'image/png', size: png.length } });
});

test('only someone with the permission can upload, and the body of others is not read', async () => {
  const stranger = await acme.caller().request(formRequest(url, filePart(png)));
  expect({ status: stranger.status, code: stranger.body.code }).toEqual({ status: 403, code: 'auth.forbidden' });
});

const zipEnd = Buffer.from('504b0506000000000000000000000000000000000000', 'hex');
const withHead = (text: string) => Buffer.concat([png.subarray(0, 8), Buffer.from(text), randomBytes(100)]);
const disposition = (text: string) => ({ headers: `Content-Disposition: form-data; ${text}`, content: png });

test.each<[what: string, parts: ReturnType<typeof filePart>[], status: number, code: string]>([
  ['no part at all', [], 422, 'file: required'],
  ['no file', [textPart('note', 'x')], 422, 'file: required'],
  ['an empty file', [filePart('')], 422, 'file: too_small'],
  ['a text file', [filePart('hello')], 415, 'files.wrong_type'],
  ['a page', [filePart('<!doctype html><script>alert(1)</script>')], 415, 'files.wrong_type'],
  [
    'an SVG picture',
    [filePart('<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.svg', 'image/svg+xml')],
    415,
    'files.wrong_type',
  ],
  ['a program', [filePart(Buffer.from('7f454c46', 'hex'))], 415, 'files.wrong_type'],
  ['an archive', [filePart(Buffer.from('504b0304', 'hex'), 'a.pdf', 'application/pdf')], 415, 'files.wrong_type'],
  ['a type that is known but not allowed', [filePart('RIFF\0\0\0\0WEBPVP8 ')], 415, 'files.wrong_type'],
  ['the first bytes of a signature only', [filePart(png.subarray(0, 4))], 415, 'files.wrong_type'],
  ['a signature after a space', [filePart(Buffer.concat([Buffer.from(' '), png]))], 415, 'files.wrong_type'],
  ['a picture that is also a page', [filePart(withHead('<html><script>'))], 422, 'file: invalid'],
  ['a picture that is also a PHP program', [filePart(withHead('<?php system($_GET[0]);'))], 422, 'file: invalid'],
  ['a picture that is also a PDF document', [filePart(withHead('%PDF-1.7'))], 422, 'file: invalid'],
  ['a picture that is also an archive', [filePart(Buffer.concat([png, zipEnd]))], 422, 'file: invalid'],
  ['a PDF document that is also an archive', [filePart(Buffer.concat([pdf, zipEnd]))], 422, 'file: invalid'],
  ['a PDF document that is also a page', [filePart('%PDF-1.7\n<script>alert(1)</script>')], 422, 'file: invalid'],
  ['two files', [filePart(png), filePart(png)], 422, 'file: too_many'],
  [
    'two files of different names',
    [filePart(png), filePart(png, 'b.png', 'image/png', 'file2')],
    422,
    'file2: unknown',
  ],
  ['the file under another name', [filePart(png, 'a.png', 'image/png', 'image')], 422, 'file: required'],
  ['a field twice', [filePart(png), textPart('note', 'a'), textPart('note', 'b')], 422, 'note: too_many'],
  [
    'too many fields',
    [...Array.from({ length: 30 }, (_, n) => textPart(`n${n}`, '')), filePart(png)],
    422,
    'file: too_many',
  ],
  ['an unknown field', [filePart(png), textPart('colour', 'red')], 422, 'colour: unknown'],
  ['a field that is too long', [filePart(png), textPart('note', 'x'.repeat(70_000))], 422, 'note: too_long'],
  ['a field with a wrong number', [filePart(png), textPart('copies', '9')], 422, 'copies: too_large'],
  ['a field named __proto__', [filePart(png), textPart('__proto__', 'x')], 201, ''],
  ['a path parameter among the fields', [filePart(png), textPart('shelf', '8')], 201, ''],
  ['a file name with a path', [filePart(png, '../../../../etc/passwd')], 201, ''],
  ['a file name with a Windows path', [filePart(png, 'C:\\windows\\system32\\a.dll')], 201, ''],
  ['a file name with NUL', [filePart(png, 'a.php\0.png')], 201, ''],
  ['a file name with an encoded line break', [filePart(png, 'a%0d%0aX-Evil: 1.png')], 201, ''],
  ['a file name of 7,000 characters', [filePart(png, 'x'.repeat(7_000))], 201, ''],
  ['a file without a name', [disposition('name="file"')], 201, ''],
  ['a line break in the name', [disposition('name="file"; filename="a\rb.png"')], 422, 'file: required'],
  ['headers of 100 KB', [filePart(png, 'x'.repeat(100_000))], 201, ''],
  ['a part without a name', [disposition('filename="a.png"')], 422, 'file: required'],
  ['a part without a disposition', [{ headers: 'Content-Type: image/png', content: png }], 422, 'file: required'],
  [
    'a part that is not form data',
    [{ headers: 'Content-Disposition: attachment; name="file"', content: png }],
    422,
    'file: required',
  ],
  ['a file that is one byte too large', [filePart(Buffer.alloc(10 * megabyte + 1, png))], 413, 'files.too_large'],
])('%s is answered with a clear response', async (_, parts, status, code) => {
  const response = await send(...parts);
  const [field = '', list = []] =
    (Object.entries(response.body.error_codes ?? {}) as [string, string[]][]).find(
      ([name, codes]) => `${name}: ${codes[0]}` === code,
    ) ?? [];
  const found = list.length > 0 ? `${field}: ${list[0]}` : (response.body.code ?? '');
  expect({ status: response.status, code: found }, JSON.stringify(response.body)).toEqual({ status, code });
  if (status !== 201) expect(await storedFiles(kernel)).toEqual([]);
});

const whole = formBody([filePart(png)]);

test.each<[what: string, type: string, payload: Buffer, status: number]>([
  ['no boundary', 'multipart/form-data', whole, 400],
  ['another boundary', 'multipart/form-data; boundary=other', whole, 400],
  ['an empty boundary', 'multipart/form-data; boundary=', whole, 400],
  ['no body', formHeaders['content-type'], Buffer.alloc(0), 400],
  ['a body without its end', formHeaders['content-type'], whole.subarray(0, -30), 400],
  ['a body that ends in the headers of a part', formHeaders['content-type'], whole.subarray(0, 60), 400],
  ['nested parts', 'multipart/mixed; boundary=chowk-test-boundary', whole, 415],
  ['JSON', 'application/json', Buffer.from('{"file": {}}'), 415],
  ['the file itself', 'image/png', png, 415],
])('a body with %s is refused', async (_, type, payload, status) => {
  const response = await clerk.request({ method: 'POST', url, headers: { 'content-type': type }, payload });
  expect(response.status, JSON.stringify(response.body)).toBe(status);
  expect(await storedFiles(kernel)).toEqual([]);
});

test('other actions refuse a form', async () => {
  const { status, body } = await clerk.request({ ...formRequest('/broadcasting/auth', filePart(png)) });
  expect({ status, code: body.code }).toEqual({ status: 415, code: 'http.unsupported_media_type' });
});

const address = await platform.app.listen({ port: 0, host: '127.0.0.1' });
const lines = (more: readonly string[]) => [
  `POST ${url} HTTP/1.1`,
  `Host: 127.0.0.1`,
  `X-Tenant: ${acme.id}`,
  `Authorization: Bearer ${clerk.token}`,
  `Content-Type: ${formHeaders['content-type']}`,
  'Connection: close',
  ...more,
];

test('a declared length above the maximum is refused before the body is sent', async () => {
  const { status, text } = await sendLines(getPort(platform.app), lines(['Content-Length: 99999999']));
  expect({ status, code: JSON.parse(text).code }).toEqual({ status: 413, code: 'files.too_large' });
});

/** Sends a file with `fetch` in a process of its own, as clients do, and returns the statuses or errors of five attempts. */
async function uploadElsewhere(size: number, body: string): Promise<string[]> {
  const program = `
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(${size})], { type: 'image/png' }), 'a.png');
    const headers = { authorization: 'Bearer ${clerk.token}', 'x-tenant': '${acme.id}' };
    for (let n = 0; n < 5; n += 1) {
      const { headers: own, body } = new Request('http://x', { method: 'POST', body: form });
      const init = { method: 'POST', duplex: 'half', headers: { ...headers, 'content-type': own.get('content-type') }, body: ${body} };
      console.log(await fetch('${address}${url}', init).then((r) => r.status, (error) => error.cause?.code ?? error.message));
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  return stdout.trim().split('\n');
}

test.each([
  ['of a known length', 'await new Response(body).blob()'],
  ['of an unknown length', 'body'],
])('a client that sends a file %s above the maximum gets 413, and not a broken connection', async (_, body) => {
  expect(await uploadElsewhere(20 * megabyte, body)).toEqual(Array(5).fill('413'));
});

test('an endless body is refused as soon as it is too large', async () => {
  const socket = connect(getPort(platform.app), '127.0.0.1');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  const chunk = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
  const start = formBody([filePart(png)], { end: '' }).subarray(0, -2);
  socket.write(`${lines(['Transfer-Encoding: chunked']).join('\r\n')}\r\n\r\n${start.length.toString(16)}\r\n`);
  socket.write(start);
  socket.write('\r\n');
  const pump = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on('drain', pump);
  pump();
  await vi.waitFor(() => expect(socket.closed).toBe(true), 60_000);
  expect(answer === '' || answer.startsWith('HTTP/1.1 413')).toBe(true);
  expect(socket.bytesWritten).toBeLessThan(40 * megabyte);
});

test('a file that arrives byte by byte is accepted', async () => {
  const body = formBody([filePart(pdf), textPart('copies', '1')]);
  const payload = Readable.from([...body].map((byte) => Buffer.from([byte])));
  expect((await clerk.request({ method: 'POST', url, headers: formHeaders, payload })).status).toBe(201);
});

test('a tenant can have fifty uploads in progress, and others are not affected', async () => {
  const beta = await platform.tenant();
  const sockets = Array.from({ length: 51 }, () => connect(getPort(platform.app), '127.0.0.1'));
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(closeAll);
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) socket.write(`${lines(['Content-Length: 1000']).join('\r\n')}\r\n\r\n`);
  expect(String(await Promise.race(answers))).toMatch(/^HTTP\/1.1 429/);
  const upload = async (caller: typeof clerk) => (await caller.request(formRequest(url, filePart(png)))).status;
  expect(await upload(clerk)).toBe(429);
  expect(await upload(beta.caller('vault.edit'))).toBe(201);
  closeAll();
  await vi.waitFor(async () => expect(await upload(clerk)).toBe(201), 60_000);
  await kernel.files.removeTenant(beta.id);
});

test('a client that goes away in the middle of a file leaves nothing', async () => {
  const socket = connect(getPort(platform.app), '127.0.0.1');
  const part = formBody([filePart(Buffer.alloc(megabyte, png))]);
  socket.write(`${lines([`Content-Length: ${part.length}`]).join('\r\n')}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(part.subarray(0, megabyte / 2), () => resolve()));
  socket.destroy();
  await vi.waitFor(() => expect(platform.app.server.listening).toBe(true));
  expect((await send(filePart(png))).status).toBe(201);
});

test('twenty files of 10 MB at once are never in memory', async () => {
  const file = Buffer.concat([png.subarray(0, 8), randomBytes(10 * megabyte - 8)]);
  const headers = { ...formHeaders, 'x-tenant': acme.id, authorization: `Bearer ${clerk.token}` };
  const workerData = { body: formBody([filePart(file)]), url: `${address}${url}`, headers };
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const bytesInUse = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = bytesInUse();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, bytesInUse() - before);
  }, 1_000);
  // In a thread of its own, whose buffers are not counted here.
  const client = new Worker(
    `const { workerData: { body, url, headers }, parentPort } = require('node:worker_threads');
     const send = () => fetch(url, { method: 'POST', headers, body }).then(({ status }) => status);
     Promise.all(Array.from({ length: 20 }, send)).then((statuses) => parentPort.postMessage(statuses));`,
    { eval: true, workerData },
  );
  const [statuses] = await once(client, 'message');
  clearInterval(timer);
  expect(new Set(statuses)).toEqual(new Set([201]));
  expect(await storedFiles(kernel)).toHaveLength(20);
  // Less than the 200 MB of the file. How much is buffered depends on the load of the machine.
  expect(most / megabyte).toBeLessThan(100);
});

test('an upload is described as a form with a file', async () => {
  const { body } = await platform.request({ method: 'GET', url: '/api/openapi.json' });
  const { requestBody } = body.paths['/api/v1/vault/{shelf}/documents'].post;
  expect(requestBody.required).toBe(true);
  expect(requestBody.content['multipart/form-data']).toMatchObject({
    schema: {
      required: ['file'],
      properties: {
        file: { type: 'string', format: 'binary', description: 'JPEG, PNG or PDF, at most 10485760 bytes.' },
      },
    },
    encoding: { file: { contentType: 'image/jpeg, image/png, application/pdf' } },
  });
});

test('an upload is only served over REST', async () => {
  const wrong = (more: object) => () =>
    checkModule(testModule({ alias: 'vault', actions: { 'vault.upload': { ...upload, ...more } } }));
  expect(wrong({})).not.toThrow();
  expect(wrong({ bus: { rateLimit: 1 } })).toThrow('a file cannot be sent over the bus or in GraphQL');
  expect(wrong({ graphql: 'upload' })).toThrow('a file cannot be sent over the bus or in GraphQL');
  expect(wrong({ accepts: 'json' })).toThrow('belong together');
});
