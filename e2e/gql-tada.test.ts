import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { afterAll, expect, test } from 'vitest';

/* gql.tada, unmodified, derives the types of operations from the published schema. */

const execute = promisify(execFile);
const repository = resolve(import.meta.dirname, '..');
// In this folder, so that the packages are found.
const folder = await mkdtemp(join(import.meta.dirname, '.tada-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const program = (fields: string, use: string) => `
import { initGraphQLTada, type ResultOf, type VariablesOf } from 'gql.tada';
import type { introspection } from './schema.ts';

const graphql = initGraphQLTada<{ introspection: typeof introspection; scalars: { Money: string; DateTime: string } }>();
const Orders = graphql(\`query Orders($first: Int!) { orders(first: $first) { nodes { id ${fields} } } }\`);
export const variables: VariablesOf<typeof Orders> = { first: 2 };
export const read = ({ orders }: ResultOf<typeof Orders>) => orders?.nodes.map((order) => ${use});
`;

async function compile(text: string): Promise<string> {
  await writeFile(join(folder, 'shop.ts'), text);
  return execute(join(repository, 'node_modules/.bin/tsc'), ['-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test('an operation that the schema has compiles, and one that it does not have is an error', async () => {
  const schema = buildSchema(await readFile(join(repository, 'docs/schema.graphql'), 'utf8'));
  const introspection = introspectionFromSchema(schema, { descriptions: false });
  await writeFile(
    join(folder, 'schema.ts'),
    `export const introspection = ${JSON.stringify(introspection)} as const;\n`,
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: 'nodenext',
    target: 'es2022',
    skipLibCheck: true,
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['shop.ts'] }));

  const good = 'order_number status total placed_at customer { first_name }';
  expect(await compile(program(good, "[order.total?.toUpperCase(), order.status === 'shipped']"))).toBe('');
  expect(await compile(program(good, "order.status === 'lost'"))).toContain('TS2367');
  expect(await compile(program(good, 'order.note'))).toContain('TS2339');
  expect(await compile(program('unknown_field', 'order.unknown_field.length'))).toMatch(/error TS/);
});
