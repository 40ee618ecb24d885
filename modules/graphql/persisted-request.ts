import type { SystemCtx } from '@chowk/kit';
import type { GraphqlError } from './engine-types.ts';
import { hashQuery } from './persisted.ts';
import { findPersisted, takePersisted } from './persisted-cache.ts';

/** The query to execute, or why none is executed. */
type Resolved =
  | {
      readonly query: string;
      /** The hash, if the use is to be recorded. */
      readonly unregistered?: string;
      readonly isPersisted?: boolean;
    }
  | { readonly refusal: GraphqlError };

/** The hash in `extensions.persistedQuery`, if there is one, or the reason why it is not valid. */
export function readHash(extensions: unknown): { readonly hash?: string; readonly problem?: string } {
  const { persistedQuery = null } = (extensions ?? {}) as { persistedQuery?: unknown };
  if (persistedQuery === null) return {};
  const { version, sha256Hash } = persistedQuery as { version?: unknown; sha256Hash?: unknown };
  if (version !== 1) return { problem: '`extensions.persistedQuery.version` must be 1.' };
  if (typeof sha256Hash !== 'string' || !/^[0-9a-f]{64}$/.test(sha256Hash)) {
    return { problem: '`extensions.persistedQuery.sha256Hash` must be a SHA-256 in hexadecimal, in lower case.' };
  }
  return { hash: sha256Hash };
}

/** Finds the query of a request with a query, the hash of a persisted query, or both. Registers nothing. */
export async function resolveQuery(ctx: SystemCtx, query: string | undefined, hash?: string): Promise<Resolved> {
  if (query !== undefined && hash !== undefined && hashQuery(query) !== hash) return refuse('hashMismatch');
  const settings = await ctx.settings();
  const { 'graphql.persisted_queries_only': isLocked, 'graphql.record_unregistered': isRecorded } = settings;
  if (query !== undefined && hash === undefined && !isLocked && !isRecorded) return { query };
  const key = hash ?? hashQuery(query as string);
  const persisted = await takePersisted(ctx, key);
  if (persisted) return { query: persisted.query, isPersisted: true };
  if (isLocked) return refuse('required');
  if (query === undefined) return refuse('notFound');
  return isRecorded ? { query, unregistered: key } : { query };
}

/** Why a subscription that was accepted before is no longer executed: lockdown was switched on since. */
export async function findLockdownRefusal(ctx: SystemCtx, query: string): Promise<GraphqlError | undefined> {
  const { 'graphql.persisted_queries_only': isLocked } = await ctx.settings();
  if (!isLocked || (await findPersisted(ctx, hashQuery(query)))) return undefined;
  return toError('required');
}

const refusals = {
  // Clients compare the message, and then send the query.
  notFound: { message: 'PersistedQueryNotFound', code: 'PERSISTED_QUERY_NOT_FOUND' },
  hashMismatch: { message: 'The hash is not the SHA-256 of the query.', code: 'PERSISTED_QUERY_HASH_MISMATCH' },
  required: {
    message: 'Only persisted queries are executed, and this operation is not registered.',
    code: 'PERSISTED_QUERY_REQUIRED',
  },
} as const;

function refuse(kind: keyof typeof refusals): Resolved {
  return { refusal: toError(kind) };
}

function toError(kind: keyof typeof refusals): GraphqlError {
  const { message, code } = refusals[kind];
  return { message, extensions: { code } };
}
