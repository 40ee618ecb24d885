import { createHash } from 'node:crypto';
import type { Membership } from '@chowk/kit/kernel';
import { defaultFieldResolver, type GraphQLField, type GraphQLSchema, getDirectiveValues } from 'graphql';
import { fail } from '../errors.ts';
import type { RequestState } from './request-state.ts';

type Resolve = NonNullable<GraphQLField<unknown, RequestState>['resolve']>;

interface CacheArguments {
  readonly seconds: number;
  readonly scope: 'USER' | 'TENANT';
}

/** Wraps the resolver of a field with `@can`, `@auth` or `@cache`. */
export function guardResolver(schema: GraphQLSchema, type: string, field: GraphQLField<unknown, RequestState>): void {
  const { astNode } = field;
  if (!astNode?.directives?.length) return;
  const directiveValues = (name: string) => {
    const directive = schema.getDirective(name);
    return directive ? getDirectiveValues(directive, astNode) : undefined;
  };
  let resolve: Resolve = field.resolve ?? (defaultFieldResolver as Resolve);
  const cache = directiveValues('cache') as CacheArguments | undefined;
  if (cache) resolve = withCache(resolve, `${type}.${field.name}`, cache);
  const can = directiveValues('can') as { permission: string } | undefined;
  if (can) resolve = withPermission(resolve, can.permission);
  if (directiveValues('auth')) resolve = withAccount(resolve);
  field.resolve = resolve;
}

function withPermission(resolve: Resolve, permission: string): Resolve {
  return (parent, args, state, info) => {
    if (!state.ctx.can(permission)) throw fail('auth.forbidden', { permission });
    return resolve(parent, args, state, info);
  };
}

function withAccount(resolve: Resolve): Resolve {
  return (parent, args, state, info) => {
    if (state.ctx.session.kind === 'client') throw fail('auth.no_account');
    return resolve(parent, args, state, info);
  };
}

/** The value must be JSON. It is cached for each record by its `id`; that of a record without one is not cached. */
function withCache(resolve: Resolve, path: string, { seconds, scope }: CacheArguments): Resolve {
  return async (parent, args, state, info) => {
    const { cache, ctx } = state;
    const { id } = (parent ?? { id: '' }) as { id?: unknown };
    if (id === undefined) return resolve(parent, args, state, info);
    const user = scope === 'USER' ? `${ctx.userId} ${permissionsDigest(ctx.principal.membership)}` : '';
    const key = `graphql:field:${ctx.tenant.id}:${user}:${path}:${id}:${JSON.stringify(args)}`;
    const cached = await cache.get(key);
    if (cached !== undefined) return cached;
    const value = (await resolve(parent, args, state, info)) ?? null;
    await cache.set(key, value, seconds);
    return value;
  };
}

/** The value may depend on permissions. They can change, and a token can have fewer than its user. */
function permissionsDigest(membership: Membership | undefined): string {
  const names = [...(membership?.permissions ?? [])].sort();
  return createHash('sha256').update(names.join(' ')).digest('base64url');
}
