import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { type Credentials, signatureProblem } from './s3-signature.ts';

interface StoredObject {
  readonly content: Buffer;
  readonly type: string;
}

type Objects = Map<string, StoredObject>;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

const keys: Credentials = { accessKeyId: 'test-key', secretAccessKey: 'test/secret+key' };
/** S3 lists 1,000: with few, tests read several pages. */
const pageSize = 2;

/**
 * Starts a server that speaks as much of S3 as the platform uses, with the bucket `files` in memory, and that verifies
 * signatures. Returns its `OBJECT_STORAGE_URL`. Closed after the test file.
 */
export async function startS3Server(): Promise<string> {
  const objects: Objects = new Map();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const problem = signatureProblem(request, body, keys);
    const answer = problem === undefined ? handle(objects, request, body) : error(403, problem);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  afterAll(() => new Promise((done) => server.close(done).closeAllConnections()));
  const { port } = server.address() as AddressInfo;
  const { accessKeyId, secretAccessKey } = keys;
  return `s3://${accessKeyId}:${encodeURIComponent(secretAccessKey)}@127.0.0.1:${port}/files?tls=false`;
}

function handle(objects: Objects, { method, url = '', headers }: IncomingMessage, body: Buffer): Answer {
  const { pathname, searchParams: query } = new URL(url, 'http://s3');
  const [, bucket, key] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
  if (bucket !== 'files' || key === undefined) return error(404, 'NoSuchBucket');
  const operation = `${method} ${key === '' ? 'bucket' : 'object'}`;
  if (operation === 'GET bucket' && query.get('list-type') === '2') return listObjects(objects, query);
  if (operation === 'POST bucket' && query.has('delete')) return deleteObjects(objects, body);
  if (operation === 'GET object' || operation === 'HEAD object') return getObject(objects.get(key), query);
  if (operation === 'PUT object') {
    objects.set(key, { content: body, type: headers['content-type'] ?? 'application/octet-stream' });
    return { status: 200 };
  }
  if (operation === 'DELETE object') {
    objects.delete(key);
    return { status: 204 };
  }
  return error(501, 'NotImplemented');
}

function getObject(object: StoredObject | undefined, query: URLSearchParams): Answer {
  if (!object) return error(404, 'NoSuchKey');
  const disposition = query.get('response-content-disposition');
  return {
    status: 200,
    headers: {
      'content-type': query.get('response-content-type') ?? object.type,
      'content-length': String(object.content.length),
      'last-modified': new Date().toUTCString(),
      etag: '"etag"',
      ...(disposition === null ? {} : { 'content-disposition': disposition }),
    },
    body: object.content,
  };
}

function listObjects(objects: Objects, query: URLSearchParams): Answer {
  if (query.get('delimiter')) return error(501, 'NotImplemented');
  const [prefix, after] = [query.get('prefix') ?? '', query.get('continuation-token') ?? ''];
  const found = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = found.slice(0, pageSize);
  const isTruncated = found.length > page.length;
  return xml(
    200,
    element('ListBucketResult', [
      element('IsTruncated', [String(isTruncated)]),
      ...page.map((key) => element('Contents', [element('Key', [escapeXml(key)]), element('ETag', ['etag'])])),
      ...(isTruncated ? [element('NextContinuationToken', [escapeXml(page.at(-1) ?? '')])] : []),
    ]),
  );
}

function deleteObjects(objects: Objects, body: Buffer): Answer {
  for (const [, key = ''] of body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)) objects.delete(unescapeXml(key));
  return xml(200, element('DeleteResult', []));
}

function error(status: number, code: string): Answer {
  return xml(status, element('Error', [element('Code', [code]), element('Message', [code])]));
}

function xml(status: number, content: string): Answer {
  return { status, headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0"?>${content}` };
}

function element(name: string, content: readonly string[]): string {
  return `<${name}>${content.join('')}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
