import { Readable } from 'node:stream';
import { Answer, Failure } from '@chowk/kit';
import type { FastifyReply } from 'fastify';
import type { AuditEntry } from '../actions/audit-log.ts';
import { invoke } from '../actions/invoke.ts';
import { Context } from '../context.ts';
import { databaseFailure } from '../db/failures.ts';
import { compressBody } from './compress.ts';
import type { Exchange } from './exchange.ts';
import * as idempotency from './idempotency.ts';
import type { ReadInput } from './read-input.ts';
import { responseBody } from './response-body.ts';

type Call = ReturnType<ReadInput>;

interface KeyedCall extends Call {
  readonly keyed: idempotency.KeyedRequest;
  /** The headers that every response has. */
  readonly commonHeaders: idempotency.StoredResponse['headers'];
}

/** Reads the input, invokes the action and builds the response body from its output. */
export async function runAction(exchange: Exchange): Promise<unknown> {
  const { kernel, upload, writtenFiles } = exchange;
  if (!upload || !writtenFiles) return respond(exchange);
  try {
    return await kernel.files.settleAfter(writtenFiles, () => respond(exchange));
  } finally {
    await upload.close();
  }
}

async function respond(exchange: Exchange): Promise<unknown> {
  const { request, reply, route, tenant } = exchange;
  const keyed = idempotency.keyedRequest(exchange);
  const call = route.readInput(request);
  if (!keyed) return compressBody(request, reply, await run(exchange, call));
  // The changes of a system module are in the central database, in transactions of its own.
  const runOnce = tenant && !route.action.isSystem ? runInTransaction : runAtMostOnce;
  const keyedCall = { ...call, keyed, commonHeaders: reply.getHeaders() };
  return compressBody(request, reply, await runOnce(exchange, keyedCall));
}

async function run(exchange: Exchange, call: Call): Promise<unknown> {
  const auditEntry = beginAuditEntry(exchange, call.input);
  const output = await invokeAction(exchange, contextOf(exchange, auditEntry), call, auditEntry);
  return responseBody(exchange, call.input, output);
}

/** Runs the action and stores its response in one transaction of the tenant. */
async function runInTransaction(exchange: Exchange, call: KeyedCall): Promise<string | undefined> {
  const { kernel, reply } = exchange;
  let auditEntry: AuditEntry | undefined;
  try {
    return await contextOf(exchange).tx(async (tx) => {
      const stored = await idempotency.lockKey(tx.db, call.keyed);
      if (stored) return replay(reply, stored);
      auditEntry = beginAuditEntry(exchange, call.input);
      const output = await invokeAction(exchange, tx.withAuditEntry(auditEntry), call);
      if (auditEntry) kernel.audit.end(auditEntry, { output });
      const response = buildResponse(exchange, call, output);
      if (isSuccess(response, output)) await idempotency.storeResponse(tx.db, call.keyed, response);
      return response.body || undefined;
    });
  } catch (error) {
    if (auditEntry) kernel.audit.fail(auditEntry, error);
    throw error;
  }
}

/** Claims the key, runs the action and then stores its response. */
async function runAtMostOnce(exchange: Exchange, call: KeyedCall): Promise<string | undefined> {
  const { kernel, reply, tenant } = exchange;
  const { keyed } = call;
  const db = tenant?.db ?? kernel.central.db;
  const stored = await idempotency.claimKey(db, keyed);
  if (stored) return replay(reply, stored);
  const auditEntry = beginAuditEntry(exchange, call.input);
  try {
    const output = await invokeAction(exchange, contextOf(exchange, auditEntry), call, auditEntry);
    const response = buildResponse(exchange, call, output);
    await idempotency.settleKey(db, keyed, isSuccess(response, output) ? response : undefined);
    return response.body || undefined;
  } catch (error) {
    // After any other error the action may have changed something.
    if (isRefusal(error)) await idempotency.settleKey(db, keyed);
    throw error;
  }
}

async function invokeAction(
  { kernel, reply, route: { action } }: Exchange,
  ctx: Context,
  { input, validate }: Call,
  auditEntry?: AuditEntry,
): Promise<unknown> {
  const ignoredFields: string[] = [];
  const result = invoke(kernel.audit, { action, ctx, input, validate, auditEntry, ignoredFields });
  // A change of accounts, roles, settings or domains applies to the next request, even if this one fails afterwards.
  const changesCaches = action.isSystem && !action.isReadOnly;
  const output = await (changesCaches ? result.finally(() => kernel.signals.waitUntilApplied()) : result);
  if (ignoredFields.length > 0) reply.header('ignored-fields', headerList(ignoredFields));
  return output;
}

function contextOf(exchange: Exchange, auditEntry?: AuditEntry): Context {
  const { kernel, request, route, tenant, caller, membership, writtenFiles } = exchange;
  const ifMatch = request.headers['if-match'];
  const { module } = route.action;
  const parts = { requestId: request.id, module, tenant, user: caller, membership, source: request, writtenFiles };
  return new Context(kernel, auditEntry || ifMatch ? { ...parts, auditEntry, ifMatch } : parts);
}

function beginAuditEntry({ kernel, request, route: { action }, tenant, caller }: Exchange, input: unknown) {
  if (!tenant || !action.isAudited) return undefined;
  const recordedInput = action.accepts === 'csv' ? undefined : input;
  const call = { tenant, action: action.name, userId: caller?.id, requestId: request.id, input: recordedInput };
  return kernel.audit.begin({ ...call, transport: 'rest', module: undefined }) satisfies AuditEntry;
}

function buildResponse(
  exchange: Exchange,
  { input, commonHeaders }: KeyedCall,
  output: unknown,
): idempotency.StoredResponse {
  const { reply } = exchange;
  const body = serialize(reply, responseBody(exchange, input, output));
  const ownHeaders = Object.entries(reply.getHeaders()).filter(([name, value]) => commonHeaders[name] !== value);
  return { status: reply.statusCode, headers: Object.fromEntries(ownHeaders), body };
}

function serialize(reply: FastifyReply, body: unknown): string {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Readable || body instanceof Uint8Array) {
    throw new Error('a POST cannot answer an Idempotency-Key with a file; serve the file with GET');
  }
  if (!reply.hasHeader('content-type')) reply.type('application/json; charset=utf-8');
  return String(reply.serialize(body));
}

function replay(reply: FastifyReply, { status, headers, body }: idempotency.StoredResponse): string | undefined {
  reply.status(status).headers(headers).header('Idempotency-Replayed', 'true');
  return body || undefined;
}

function isSuccess({ status }: idempotency.StoredResponse, output: unknown): boolean {
  return status < 300 && !(output instanceof Answer && output.isRefusal);
}

/** Whether the action has refused the request and changed nothing. */
function isRefusal(error: unknown): boolean {
  const failure = error instanceof Failure ? error : databaseFailure(error);
  return failure !== undefined && failure.status < 500;
}

/** At most 20 names. Names that are not valid in a header are left out. */
function headerList(names: readonly string[]): string {
  const valid = names.filter((name) => /^[\x21-\x7e]{1,100}$/.test(name)).slice(0, 20);
  return valid.join(', ') || 'some';
}
