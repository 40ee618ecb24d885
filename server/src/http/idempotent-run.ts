import { Readable } from 'node:stream';
import { Answer, Failure } from '@chowk/kit/kernel';
import type { FastifyReply } from 'fastify';
import type { Call } from '../actions/call.ts';
import { databaseFailure } from '../db/failures.ts';
import type { Exchange } from './exchange.ts';
import {
  claimKey,
  type KeyedRequest,
  keepClaimed,
  keyedRequest,
  lockKey,
  type StoredResponse,
  settleKey,
  storeResponse,
} from './idempotency.ts';
import { responseBody } from './response-body.ts';

/** The body of a response that is stored under an idempotency key. */
export class StoredBody {
  readonly text: string | undefined;

  constructor(text: string) {
    this.text = text || undefined;
  }
}

type Run = Parameters<NonNullable<Call['runOnce']>>[0];

/** How the call is run at most once, if the request has an idempotency key. */
export function runOnceForKey(exchange: Exchange): Call['runOnce'] {
  if (exchange.request.headers['idempotency-key'] === undefined) return undefined;
  return async (run) => {
    const keyed = keyedRequest(exchange);
    if (!keyed) return run();
    // The changes of a system module are in the central database, in transactions of its own.
    const { isSystem, sendsRequests } = exchange.action;
    const runOnce = exchange.tenant && !isSystem && !sendsRequests ? runInTransaction : runAtMostOnce;
    return runOnce(exchange, keyed, run);
  };
}

/** Runs the action and stores its response in one transaction of the tenant. */
function runInTransaction(exchange: Exchange, keyed: KeyedRequest, run: Run): Promise<StoredBody> {
  const commonHeaders = exchange.reply.getHeaders();
  return exchange.createContext(undefined).tx(async (tx) => {
    const stored = await lockKey(tx.db, keyed);
    if (stored) return replay(exchange.reply, stored);
    const output = await run(tx);
    const response = buildResponse(exchange, output, commonHeaders);
    if (isSuccess(response, output)) await storeResponse(tx.db, keyed, response);
    return new StoredBody(response.body);
  });
}

/** Claims the key, runs the action and then stores its response. */
async function runAtMostOnce(exchange: Exchange, keyed: KeyedRequest, run: Run): Promise<StoredBody> {
  const { kernel, reply, tenant } = exchange;
  const db = tenant?.db ?? kernel.central.db;
  const commonHeaders = reply.getHeaders();
  const stored = await claimKey(db, keyed);
  if (stored) return replay(reply, stored);
  const endClaim = keepClaimed(db, keyed);
  try {
    const output = await run();
    const response = buildResponse(exchange, output, commonHeaders);
    await settleKey(db, keyed, isSuccess(response, output) ? response : undefined);
    return new StoredBody(response.body);
  } catch (error) {
    // After any other error the action may have changed something.
    if (isRefusal(error)) await settleKey(db, keyed);
    throw error;
  } finally {
    endClaim();
  }
}

function buildResponse(exchange: Exchange, output: unknown, commonHeaders: StoredResponse['headers']): StoredResponse {
  const { reply } = exchange;
  const body = serialize(reply, responseBody(exchange, output));
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

function replay(reply: FastifyReply, { status, headers, body }: StoredResponse): StoredBody {
  reply.status(status).headers(headers).header('Idempotency-Replayed', 'true');
  return new StoredBody(body);
}

function isSuccess({ status }: StoredResponse, output: unknown): boolean {
  return status < 300 && !(output instanceof Answer && output.isRefusal);
}

/** Whether the action has refused the request and changed nothing. */
function isRefusal(error: unknown): boolean {
  const failure = error instanceof Failure ? error : databaseFailure(error);
  return failure !== undefined && failure.status < 500;
}
