import { type Action, apiVersions, defaultApiVersion } from '@chowk/kit/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../errors.ts';

/** Answers with the version in use; throws if the request names one that does not exist. */
export function negotiateVersion({ headers }: FastifyRequest, reply: FastifyReply): void {
  const { 'api-version': version = defaultApiVersion } = headers;
  const isKnown = apiVersions.some((known) => known === version);
  reply.header('api-version', isKnown ? version : defaultApiVersion);
  if (!isKnown) throw fail('http.unknown_version', { version: String(version), versions: apiVersions.join(', ') });
}

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of an action that will be removed. */
export function deprecationHeaders({ deprecated }: Pick<Action, 'deprecated'>): Readonly<Record<string, string>> {
  if (!deprecated) return {};
  const { since, sunset } = deprecated;
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    sunset: new Date(sunset).toUTCString(),
    link: '</docs/versions>; rel="deprecation"; type="text/html"',
  };
}
