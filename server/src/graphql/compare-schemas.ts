import type { SchemaComparison } from '@chowk/kit/kernel';
import type { GraphQLSchema } from 'graphql';
import type { Kernel } from '../kernel.ts';
import { brokenQueries, iterateTenants } from './broken-queries.ts';
import { isRingName, namedSchema } from './named-schema.ts';
import { schemaChanges } from './schema-changes.ts';

/** One change can break a query of each tenant. */
const maxListedQueries = 1_000;

/** Compares the schemas of rings or SDL files, and checks the persisted queries of the first ring of both. */
export async function compareNamedSchemas(kernel: Kernel, from: string, to: string): Promise<SchemaComparison> {
  const schemas = { from: await namedSchema(kernel, from), to: await namedSchema(kernel, to) };
  return compareSchemas(kernel, { ...schemas, ring: [from, to].find(isRingName) });
}

/** What changes for clients. With a ring, also the persisted queries of its tenants that would no longer be valid. */
export async function compareSchemas(
  kernel: Kernel,
  { from, to, ring }: { from: GraphQLSchema; to: GraphQLSchema; ring: string | undefined },
): Promise<SchemaComparison> {
  const listed = [];
  let count = 0;
  if (ring !== undefined) {
    for await (const query of brokenQueries(iterateTenants(kernel, ring), { from, to })) {
      if (count++ < maxListedQueries) listed.push(query);
    }
  }
  return { changes: schemaChanges(from, to), broken_queries: listed, broken_query_count: count };
}
