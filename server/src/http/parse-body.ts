import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Action, uploadField } from '@chowk/kit/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FileChanges } from '../files/file-store.ts';
import { unsupportedMediaType } from './error-response.ts';
import { readForm } from './read-form.ts';
import { limitUploads } from './upload-limit.ts';

const bodyKinds: Readonly<Record<string, NonNullable<Action['accepts']>>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-www-form-urlencoded': 'form',
};

/** Parses JSON, CSV, form and multipart bodies; rejects a kind that the action does not accept. */
export function parseBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(Object.keys(bodyKinds), { parseAs: 'string' }, (request, text: string, done) => {
    const { exchange } = request;
    // Many clients send a Content-Type without a body.
    if (text === '') return done(null, undefined);
    if (exchange) exchange.rawBody = text;
    const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    const { accepts = 'json' } = exchange?.route.action ?? {};
    const kind = bodyKinds[type];
    if (kind !== accepts && !(accepts === 'form' && kind === 'json')) {
      return done(unsupportedMediaType(exchange?.route.action), undefined);
    }
    if (kind === 'json') return parseJson(request, text, done);
    return done(null, kind === 'csv' ? text : parseForm(text));
  });
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest, body: Readable) =>
    parseMultipart(request, body),
  );
}

async function parseMultipart({ exchange, headers }: FastifyRequest, body: Readable): Promise<Record<string, unknown>> {
  const upload = uploadField(exchange?.route.action.input?.properties);
  if (!exchange || !upload) throw unsupportedMediaType(exchange?.route.action);
  limitUploads(exchange);
  const folder = join(exchange.kernel.config.storagePath, 'uploads');
  const { fields, file, digest } = await readForm(body, headers, { ...upload, folder });
  exchange.upload = file;
  exchange.writtenFiles = new FileChanges();
  exchange.rawBody = digest;
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
