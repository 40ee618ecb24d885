import type { SystemCtx } from '@chowk/kit';
import type { GraphqlError, GraphqlOperation } from './engine-types.ts';
import { readHash, resolveQuery } from './persisted-request.ts';

/** The operation of a request, or why there is none. */
type ReadOperation =
  | {
      readonly operation: GraphqlOperation;
      /** The hash, if the use is to be recorded. */
      readonly unregistered?: string;
      readonly isPersisted?: boolean;
    }
  /** The request is not one of GraphQL. */
  | { readonly problem: string }
  | { readonly refusal: GraphqlError };

/** Reads a request that has not been validated: a query, or the hash of a persisted one. */
export async function readOperation(ctx: SystemCtx, request: object): Promise<ReadOperation> {
  const { query, variables, operationName, extensions } = request as Record<string, unknown>;
  if (!isAbsent(query) && typeof query !== 'string') return { problem: '`query` must be a string.' };
  if (!isAbsent(operationName) && typeof operationName !== 'string') {
    return { problem: '`operationName` must be a string.' };
  }
  if (!isAbsent(variables) && !isObject(variables)) return { problem: '`variables` must be an object.' };
  if (!isAbsent(extensions) && !isObject(extensions)) return { problem: '`extensions` must be an object.' };
  const { hash, problem } = readHash(extensions);
  if (problem !== undefined) return { problem };
  if (!query && !hash) return { problem: 'The request has no `query`.' };
  const resolved = await resolveQuery(ctx, query || undefined, hash);
  if ('refusal' in resolved) return resolved;
  const { query: text, ...recorded } = resolved;
  return {
    ...recorded,
    operation: { query: text, variables: variables ?? undefined, operationName: operationName ?? undefined },
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
