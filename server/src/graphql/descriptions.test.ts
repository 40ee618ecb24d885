import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, isInputObjectType, isObjectType, isSpecifiedScalarType } from 'graphql';
import { expect, test } from 'vitest';

const roots = ['Query', 'Mutation', 'Subscription'];
const docs = join(import.meta.dirname, '../../../docs');

test('every type and every field of the schema has a description', async () => {
  const schema = buildSchema(await readFile(join(docs, 'schema.graphql'), 'utf8'));
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  );
  const fields = types.flatMap((type) =>
    isObjectType(type) || isInputObjectType(type)
      ? Object.values(type.getFields()).map(({ name, description }) => ({ name: `${type.name}.${name}`, description }))
      : [],
  );
  const all = [...types.filter(({ name }) => !roots.includes(name)), ...fields];
  expect(all.length).toBeGreaterThan(3_000);
  expect(all.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
});

test('every schema of the API description has a description', async () => {
  const { components } = JSON.parse(await readFile(join(docs, 'openapi.json'), 'utf8'));
  const schemas = Object.entries<{ description?: string }>(components.schemas);
  expect(schemas.length).toBeGreaterThan(400);
  expect(schemas.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([]);
});
