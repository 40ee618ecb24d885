import { buildSchema, getIntrospectionQuery } from 'graphql';
import { expect, test, vi } from 'vitest';
import { introspectOnce } from './introspection-results.ts';
import { executeOperation, Operations } from './operations.ts';

const operations = new Operations();
const [tea, coffee] = [buildSchema('type Query { tea: String }'), buildSchema('type Query { coffee: String }')];

/** Runs the operation twice and returns the results and how often it was executed. */
async function runTwice(query: string, { schema = tea, id = 'tea', variables = {} } = {}) {
  const work = vi.fn(() => executeOperation(schema, prepared, variables, {} as never));
  const prepared = operations.prepare(schema, id, { query, variables }, true);
  const results = [await introspectOnce(prepared, work), await introspectOnce(prepared, work)];
  return { results, executions: work.mock.calls.length };
}

test('a schema is read once for each schema and operation', async () => {
  const query = getIntrospectionQuery();
  const { results, executions } = await runTwice(query);
  expect(executions).toBe(1);
  expect(results[1]).toBe(results[0]);
  expect(JSON.stringify(results)).toContain('"tea"');
  const other = await runTwice(query, { schema: coffee, id: 'coffee' });
  expect(other.executions).toBe(1);
  expect(JSON.stringify(other.results)).not.toContain('"tea"');
});

test.each([
  ['other fields', '{ tea __schema { description } }', {}],
  ['variables', 'query ($name: String!) { __type(name: $name) { name } }', { name: 'Query' }],
  ['no introspection', '{ __typename }', {}],
])('an operation with %s is executed each time', async (_, query, variables) => {
  expect((await runTwice(query, { variables })).executions).toBe(2);
});

test('a failed one is executed again', async () => {
  const prepared = operations.prepare(tea, 'tea', { query: '{ __schema { description } }' }, true);
  const work = vi.fn(async () => ({ errors: [] }));
  await introspectOnce(prepared, work);
  await introspectOnce(prepared, work);
  expect(work).toHaveBeenCalledTimes(2);
});
