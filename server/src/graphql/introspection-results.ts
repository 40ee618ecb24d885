import { type ExecutionResult, Kind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { introspectionFields } from './introspection-cost.ts';
import type { PreparedOperation } from './operations.ts';

/** A result of all types takes several megabytes. Tools have few queries, and most tenants have the same schema. */
const maxResults = 8;

/** The results of operations that only read the schema: executing one of all types blocks the process noticeably. */
const results = new LRUCache<PreparedOperation, ExecutionResult>({ max: maxResults });

/** The result does not depend on the caller. */
export async function introspectOnce(
  operation: PreparedOperation,
  work: () => ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  if (!isOnlyIntrospection(operation)) return work();
  const known = results.get(operation);
  if (known) return known;
  const result = await work();
  if (!result.errors) results.set(operation, result);
  return result;
}

function isOnlyIntrospection({ usesIntrospection, definition }: PreparedOperation): boolean {
  const { selectionSet, variableDefinitions } = definition;
  if (!usesIntrospection || variableDefinitions?.length) return false;
  return selectionSet.selections.every(
    (selection) =>
      selection.kind === Kind.FIELD &&
      (introspectionFields.has(selection.name.value) || selection.name.value === '__typename'),
  );
}
