import type { Action } from '@chowk/kit';
import type { FastifyInstance } from 'fastify';
import { unsupportedMediaType } from './error-response.ts';

const bodyKinds: Readonly<Record<string, NonNullable<Action['accepts']>>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-www-form-urlencoded': 'form',
};

/** Parses JSON, CSV and form bodies; rejects a kind that the action does not accept. */
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
}

/** A repeated field becomes a list; the action decides whether it accepts one. */
function parseForm(text: string): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    form[name] = form[name] === undefined ? value : [form[name], value].flat();
  }
  return { ...form };
}
