import { buildSchema, Kind } from 'graphql';
import { describe, expect, test } from 'vitest';
import { type HostileDocument, hostileDocuments, hostileSchema } from '../../testing/hostile-documents.ts';
import { GraphqlRefusal } from './graphql-refusal.ts';
import { measureOperation } from './limits.ts';
import { parseDocument } from './parse-document.ts';
import { validateDocument } from './validate-document.ts';

const schema = buildSchema(hostileSchema);
const limits = { depth: 7, complexity: 1_000, aliases: 30 };

/** As for a request: the first error before execution. */
function check({ text, variables = {} }: HostileDocument) {
  try {
    const document = parseDocument(text);
    const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    const exceeded = operation && measureOperation(schema, document, operation, variables, limits).error;
    return exceeded ?? validateDocument(schema, document, true)[0];
  } catch (error) {
    if (error instanceof GraphqlRefusal) return error.error;
    throw error;
  }
}

function cpuMilliseconds(run: () => unknown): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** The fastest of five runs, because other processes disturb some of them. Ends with the first that is fast enough. */
function fastest(run: () => unknown, enough: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && best >= enough; attempt++) best = Math.min(best, cpuMilliseconds(run));
  return best;
}

describe.each(hostileDocuments)('$name', (document) => {
  test(`is ${document.code ? `refused with ${document.code}` : 'accepted'} within 50 ms`, () => {
    const error = check(document);
    expect(error?.extensions.code).toBe(document.code);
    expect(error?.message.length ?? 0).toBeLessThan(600);
    expect(fastest(() => check(document), 50)).toBeLessThan(50);
  });
});
