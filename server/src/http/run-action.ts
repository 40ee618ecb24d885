import { Readable } from 'node:stream';
import { Answer, Json } from '@chowk/kit';
import type { FastifyReply } from 'fastify';
import type { AuditEntry } from '../actions/audit-log.ts';
import { invoke } from '../actions/invoke.ts';
import { Context, etagOf } from '../context.ts';
import { compressBody } from './compress.ts';
import { limitDownloads } from './download-limit.ts';
import type { Exchange } from './exchange.ts';

/** Reads the input, invokes the action and builds the response body from its output. */
export async function runAction(exchange: Exchange): Promise<unknown> {
  const { kernel, request, reply, route, tenant, caller, membership } = exchange;
  const { action } = route;
  const { input, validate } = route.readInput(request);
  const auditEntry = action.isAudited ? beginAuditEntry(exchange, input) : undefined;
  const ifMatch = request.headers['if-match'];
  const parts = { requestId: request.id, module: action.module, tenant, user: caller, membership, source: request };
  const ctx = new Context(kernel, auditEntry || ifMatch ? { ...parts, auditEntry, ifMatch } : parts);
  const ignoredFields: string[] = [];
  const result = invoke(kernel.audit, { action, ctx, input, validate, auditEntry, ignoredFields });
  // A change of accounts, roles, settings or domains applies to the next request, even if this one fails afterwards.
  const output = await (changesCaches(exchange) ? result.finally(() => kernel.signals.waitUntilApplied()) : result);
  if (ignoredFields.length > 0) reply.header('ignored-fields', headerList(ignoredFields));
  const body = responseBody(exchange, input, output);
  return action.method === 'POST' ? body : compressBody(request, reply, body);
}

function beginAuditEntry({ kernel, request, route: { action }, tenant, caller }: Exchange, input: unknown) {
  if (!tenant) return undefined;
  const recordedInput = action.accepts === 'csv' ? undefined : input;
  const call = { tenant, action: action.name, userId: caller?.id, requestId: request.id, input: recordedInput };
  return kernel.audit.begin({ ...call, transport: 'rest', module: undefined }) satisfies AuditEntry;
}

/** System modules change data that every process caches. */
function changesCaches({ route: { action } }: Exchange): boolean {
  return action.isSystem && !action.isReadOnly;
}

function responseBody({ kernel, request, reply, route, tenant }: Exchange, input: unknown, output: unknown): unknown {
  if (output instanceof Answer) {
    if (output.body instanceof Readable) limitDownloads(kernel, tenant, output.body);
    reply.status(output.status ?? 200).headers(output.headers);
    return output.body;
  }
  const { key, message, status = 200, headers } = route.action.answer ?? {};
  reply.status(typeof status === 'function' ? status(output) : status);
  if (headers) reply.headers(headers);
  if (route.hasEtag) {
    const isCurrent = matchesEtag(reply, request.headers['if-none-match'], output);
    if (isCurrent && route.action.method === 'GET') return reply.status(304).send();
  }
  const text = typeof message === 'function' ? message(output, input) : message;
  if (output instanceof Json) {
    reply.type('application/json; charset=utf-8');
    return wrapJson(output.text, key, text);
  }
  if (key === undefined) return text === undefined ? output : { message: text, ...(output as object) };
  return text === undefined ? { [key]: output } : { message: text, [key]: output };
}

/** Sets the `ETag` and says whether `If-None-Match` names it. */
function matchesEtag(reply: FastifyReply, ifNoneMatch: string | undefined, output: unknown): boolean {
  const { updated_at } = (output ?? {}) as { updated_at?: string };
  if (updated_at === undefined) return false;
  const etag = etagOf(updated_at);
  reply.header('etag', etag);
  const etags = ifNoneMatch?.split(',').map((item) => item.trim().replace(/^W\//, '')) ?? [];
  return etags.includes(etag) || etags.includes('*');
}

function wrapJson(json: string, key: string | undefined, message: string | undefined): string {
  if (key === undefined) return json;
  const prefix = message === undefined ? '' : `"message":${JSON.stringify(message)},`;
  return `{${prefix}${JSON.stringify(key)}:${json}}`;
}

/** At most 20 names. Names that are not valid in a header are left out. */
function headerList(names: readonly string[]): string {
  const valid = names.filter((name) => /^[\x21-\x7e]{1,100}$/.test(name)).slice(0, 20);
  return valid.join(', ') || 'some';
}
