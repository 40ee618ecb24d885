import { type BrokenQuery, type Db, sql } from '@chowk/kit/kernel';
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { GraphqlRefusal } from './graphql-refusal.ts';
import { parseDocument } from './parse-document.ts';
import { validateDocument } from './validate-document.ts';

interface Schemas {
  readonly from: GraphQLSchema;
  readonly to: GraphQLSchema;
}

interface PersistedQuery {
  hash: string;
  name: string;
  query: string;
}

/** Tenants and queries are read a few at a time, however many there are. */
const tenantsPerPage = 500;
/** Tenants with the same client have the same queries. */
const knownQueries = 10_000;

/** The persisted queries of the tenants that are valid for one schema and not for the other. */
export async function* brokenQueries(
  tenants: AsyncIterable<TenantEntry> | Iterable<TenantEntry>,
  schemas: Schemas,
): AsyncGenerator<BrokenQuery> {
  const errors = new LRUCache<string, { readonly message: string | undefined }>({ max: knownQueries });
  for await (const tenant of tenants) {
    for await (const { hash, name, query } of persistedQueries(tenant)) {
      const error = errors.get(hash) ?? { message: newError(schemas, query) };
      errors.set(hash, error);
      if (error.message !== undefined) yield { tenant: tenant.id, name, hash, error: error.message };
    }
  }
}

/** The active and suspended tenants of a ring. */
export async function* iterateTenants(
  { central, directory }: Pick<Kernel, 'central' | 'directory'>,
  ring: string,
): AsyncGenerator<TenantEntry> {
  let ids: string[] = [''];
  while (ids.length > 0) {
    ids = await listTenants(central.db, ring, ids.at(-1) as string);
    for (const id of ids) {
      const tenant = await directory.entry(id);
      if (tenant) yield tenant;
    }
  }
}

async function listTenants(central: Db, ring: string, after: string): Promise<string[]> {
  const rows = await central.rows<{ id: string }>(sql`
    SELECT t.id FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
    WHERE t.status IN ('active', 'suspended') AND r.name = ${ring} AND t.id > ${after} ORDER BY t.id LIMIT ${tenantsPerPage}`);
  return rows.map(({ id }) => id);
}

async function* persistedQueries({ id, db }: TenantEntry): AsyncGenerator<PersistedQuery> {
  try {
    // The database of a tenant that is not migrated yet lacks the table.
    const table = await db.row<{ exists: boolean }>(sql`SELECT to_regclass('persisted_queries') IS NOT NULL AS exists`);
    if (table?.exists)
      yield* db.stream<PersistedQuery>(sql`SELECT hash, name, query FROM persisted_queries ORDER BY name, hash`);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`the persisted queries of the tenant ${id} cannot be read: ${message}`, { cause: error });
  }
}

/** Why a query that is valid now is not valid after the change. */
function newError({ from, to }: Schemas, query: string): string | undefined {
  const error = findError(to, query);
  return error !== undefined && findError(from, query) === undefined ? error : undefined;
}

function findError(schema: GraphQLSchema, query: string): string | undefined {
  try {
    return validateDocument(schema, parseDocument(query), true)[0]?.message;
  } catch (error) {
    if (error instanceof GraphqlRefusal) return error.errors[0]?.message;
    throw error;
  }
}
