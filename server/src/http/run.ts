import { Readable } from 'node:stream';
import { Answer, Json } from '@chowk/kit';
import type { FastifyReply } from 'fastify';
import type { AuditRecord } from '../actions/audit-log.ts';
import { perform } from '../actions/perform.ts';
import { Context, versionOf } from '../context.ts';
import { compressed } from './compress.ts';
import type { Exchange } from './exchange.ts';
import { limitDownloads } from './limit-downloads.ts';

/** Reads the input, performs the action and answers with its output. */
export async function run(exchange: Exchange): Promise<unknown> {
  const { kernel, request, reply, route, tenant, caller, membership } = exchange;
  const { action } = route;
  const { input, validate } = route.readInput(request);
  const record = action.isAudited ? beginRecord(exchange, input) : undefined;
  const ifMatch = request.headers['if-match'];
  const who = { requestId: request.id, module: action.module, tenant, user: caller, membership, source: request };
  const ctx = new Context(kernel, record || ifMatch ? { ...who, record, ifMatch } : who);
  const ignored: string[] = [];
  const work = perform(kernel.audit, { action, ctx, input, validate, record, ignored });
  // A change of an account, a role or a team is in effect for the next request; also if it was refused in the end.
  const output = await (changesAccounts(exchange) ? work.finally(() => kernel.signals.waitUntilApplied()) : work);
  if (ignored.length > 0) reply.header('ignored-fields', headerList(ignored));
  const body = answer(exchange, input, output);
  return action.method === 'POST' ? body : compressed(request, reply, body);
}

function beginRecord({ kernel, request, route: { action }, tenant, caller }: Exchange, input: unknown) {
  if (!tenant) return undefined;
  const kept = action.accepts === 'csv' ? undefined : input;
  const call = { tenant, action: action.name, userId: caller?.id, requestId: request.id, input: kept };
  return kernel.audit.begin({ ...call, transport: 'rest', module: undefined }) satisfies AuditRecord;
}

function changesAccounts({ route: { action } }: Exchange): boolean {
  return action.isSystem && !action.isReadOnly;
}

function answer({ kernel, request, reply, route, tenant }: Exchange, input: unknown, output: unknown): unknown {
  if (output instanceof Answer) {
    if (output.body instanceof Readable) limitDownloads(kernel, tenant, output.body);
    reply.status(output.status ?? 200).headers(output.headers);
    return output.body;
  }
  const { key, message, status = 200, headers } = route.action.answer ?? {};
  reply.status(typeof status === 'function' ? status(output) : status);
  if (headers) reply.headers(headers);
  if (route.isVersioned) {
    const isKnown = isCurrent(reply, request.headers['if-none-match'], output);
    if (isKnown && route.action.method === 'GET') return reply.status(304).send();
  }
  const said = typeof message === 'function' ? message(output, input) : message;
  if (output instanceof Json) {
    reply.type('application/json; charset=utf-8');
    return wrapText(output.text, key, said);
  }
  if (key === undefined) return said === undefined ? output : { message: said, ...(output as object) };
  return said === undefined ? { [key]: output } : { message: said, [key]: output };
}

/** Sets the `ETag`; whether the caller has this version already. */
function isCurrent(reply: FastifyReply, known: string | undefined, output: unknown): boolean {
  const { updated_at } = (output ?? {}) as { updated_at?: string };
  if (updated_at === undefined) return false;
  const version = versionOf(updated_at);
  reply.header('etag', version);
  const versions = known?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return versions.includes(version) || versions.includes('*');
}

function wrapText(text: string, key: string | undefined, message: string | undefined): string {
  if (key === undefined) return text;
  const said = message === undefined ? '' : `"message":${JSON.stringify(message)},`;
  return `{${said}${JSON.stringify(key)}:${text}}`;
}

/** As many as fit into a header; what no header can hold is left out. */
function headerList(names: readonly string[]): string {
  const shown = names.filter((name) => /^[\x21-\x7e]{1,100}$/.test(name)).slice(0, 20);
  return shown.join(', ') || 'some';
}
