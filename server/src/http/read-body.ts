import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type Action, type UploadRules, uploadField } from '@chowk/kit/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RegisteredAction } from '../actions/registry.ts';
import { fail } from '../errors.ts';
import { unsupportedMediaType } from './error-response.ts';
import type { Exchange, Route } from './exchange.ts';
import { readForm } from './read-form.ts';
import { limitUploads } from './upload-limit.ts';

const bodyKinds: Readonly<Record<string, NonNullable<Action['accepts']>>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-www-form-urlencoded': 'form',
};

/** Leaves bodies unread: the pipeline reads them when the caller is authorized, so that a refused request costs no memory. */
export function deferBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null, undefined));
}

/** Reads JSON, CSV, form and multipart bodies; rejects a kind that the action does not accept. */
export function bodyReader(app: FastifyInstance, action: RegisteredAction): Route['readBody'] {
  const parse = jsonParser(app);
  const upload = uploadField(action.input?.properties);
  return (exchange) => {
    const { request } = exchange;
    if (!hasBody(request)) return undefined;
    const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    if (type === 'multipart/form-data') return readMultipart(exchange, upload);
    const { accepts = 'json' } = action;
    const kind = bodyKinds[type];
    if (!kind) throw unsupportedMediaType(action);
    return readText(request.raw, exchange.route.bodyLimit).then((text) => {
      // Many clients send a Content-Type without a body.
      if (text === '') return undefined;
      const isAccepted =
        kind === accepts || (accepts === 'form' && kind === 'json') || (accepts === 'signed' && kind !== 'csv');
      if (!isAccepted) throw unsupportedMediaType(action);
      exchange.bodyText = text;
      if (accepts === 'signed') return { body: text, headers: request.headers };
      if (kind !== 'json') return kind === 'csv' ? text : parseForm(text);
      const body = parse(text);
      if (request.headers['idempotency-key'] !== undefined) exchange.bodyText = sortedJson(body) ?? text;
      return body;
    });
  };
}

/** Fastify's parser, which rejects `__proto__` and calls back at once. */
function jsonParser(app: FastifyInstance): (text: string) => unknown {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (text) => {
    let result: unknown;
    parse({} as FastifyRequest, text, (error, value) => {
      if (error) throw fail('http.malformed_json');
      result = value;
    });
    return result;
  };
}

/** The same text for the same JSON, whatever the order of its keys. `undefined` if it is too deeply nested. */
function sortedJson(value: unknown): string | undefined {
  const isRecord = (part: unknown) => typeof part === 'object' && part !== null && !Array.isArray(part);
  try {
    return JSON.stringify(value, (_, part) =>
      isRecord(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
    );
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function hasBody({ headers, raw }: FastifyRequest): boolean {
  if (raw.method === 'GET' || raw.method === 'HEAD') return false;
  const length = headers['content-length'];
  if (headers['content-type'] !== undefined || headers['transfer-encoding'] !== undefined) return true;
  return length !== undefined && length !== '0';
}

/** Stops reading at the limit: the rest of the body is discarded with the response. */
function readText(body: IncomingMessage, limit: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (Number(body.headers['content-length']) > limit) {
    reject(fail('http.too_large', { limit }));
    return promise;
  }
  const disconnected = () => reject(fail('http.bad_request'));
  // A client that left while it was authorized: no event will follow.
  if (body.destroyed && !body.readableEnded) disconnected();
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= limit) return;
    body.off('data', onData);
    reject(fail('http.too_large', { limit }));
  };
  body.on('data', onData);
  body.once('end', () =>
    resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString('utf8')),
  );
  body.once('error', disconnected);
  return promise;
}

async function readMultipart(
  exchange: Exchange,
  upload: (UploadRules & { name: string }) | undefined,
): Promise<unknown> {
  const { kernel, request, action } = exchange;
  if (!upload) throw unsupportedMediaType(action);
  limitUploads(exchange);
  const folder = join(kernel.config.storagePath, 'uploads');
  const { fields, file, digest } = await readForm(request.raw, request.headers, { ...upload, folder });
  exchange.upload = file;
  exchange.bodyText = digest;
  return fields;
}

/** A repeated field becomes a list; the action decides whether it accepts one. */
function parseForm(text: string): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    form[name] = form[name] === undefined ? value : [form[name], value].flat();
  }
  return { ...form };
}
