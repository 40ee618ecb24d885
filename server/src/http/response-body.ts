import { Readable } from 'node:stream';
import { Answer, Json } from '@chowk/kit/kernel';
import type { FastifyReply } from 'fastify';
import { answerBody, answerMessage } from '../actions/answer-body.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import { recordEtag } from '../etag.ts';
import { limitDownloads } from './download-limit.ts';
import type { Exchange } from './exchange.ts';
import { ignoredFieldsHeader } from './ignored-fields.ts';

/** Sets the status and the headers of the response and builds its body from the output of the action. */
export function responseBody(
  { kernel, request, reply, route, tenant, caller, input, ignoredFields }: Exchange,
  output: unknown,
): unknown {
  reply.headers(ignoredFieldsHeader(ignoredFields));
  if (route.action.cache && !caller) allowCaching(reply, route.action, tenant?.id);
  if (output instanceof Answer) {
    if (output.body instanceof Readable) limitDownloads(kernel, tenant, output.body);
    reply.status(output.status ?? 200).headers(output.headers);
    return output.body;
  }
  const { key, status = 200, headers } = route.action.answer ?? {};
  reply.status(typeof status === 'function' ? status(output) : status);
  if (headers) reply.headers(headers);
  if (route.hasEtag) {
    const isCurrent = matchesEtag(reply, request.headers['if-none-match'], output);
    if (isCurrent && route.action.method === 'GET') return reply.status(304).send();
  }
  if (output instanceof Json) {
    reply.type('application/json; charset=utf-8');
    return wrapJson(output.text, key, answerMessage(route.action, input, output));
  }
  return answerBody(route.action, input, output);
}

/** The caller sees what everyone sees. Caches must tell the responses for different tenants and callers apart. */
function allowCaching(
  reply: FastifyReply,
  { public: isPublic, method, cache }: RegisteredAction,
  tenantId: string | undefined,
): void {
  if (!isPublic || method !== 'GET' || !cache) return;
  const varied = [reply.getHeader('vary'), 'Authorization', 'X-Tenant'].filter((name) => name !== undefined);
  const tags = [...(tenantId === undefined ? [] : [`tenant-${tenantId}`]), ...(cache.tags ?? [])];
  reply.headers({ 'cache-control': `public, max-age=${cache.seconds}`, vary: varied.join(', ') });
  if (tags.length > 0) reply.header('cache-tag', tags.join(','));
}

/** Sets the `ETag` and says whether `If-None-Match` names it. */
function matchesEtag(reply: FastifyReply, ifNoneMatch: string | undefined, output: unknown): boolean {
  const { updated_at } = (output ?? {}) as { updated_at?: string };
  if (updated_at === undefined) return false;
  const etag = recordEtag(updated_at, output instanceof Json ? output.text : JSON.stringify(output));
  reply.header('etag', etag);
  const etags = ifNoneMatch?.split(',').map((item) => item.trim().replace(/^W\//, '')) ?? [];
  return etags.includes(etag) || etags.includes('*');
}

function wrapJson(json: string, key: string | undefined, message: string | undefined): string {
  if (key === undefined) return json;
  const prefix = message === undefined ? '' : `"message":${JSON.stringify(message)},`;
  return `{${prefix}${JSON.stringify(key)}:${json}}`;
}
