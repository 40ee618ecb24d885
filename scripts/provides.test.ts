import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../server/src/loader/lock-path.ts';
import { moduleManifests } from './provides.ts';

const manifests = Object.entries(await moduleManifests());

test('there are modules to look at', () => {
  expect(manifests.length).toBeGreaterThan(3);
});

test.each(manifests)('%s says of the bus what the actions of its module say', async (path, text) => {
  expect(JSON.parse(await readFile(join(repository, path), 'utf8'))).toEqual(JSON.parse(text));
});

test('an operation is listed with its permission, its limit and an input that refers to nothing', () => {
  const products = JSON.parse(manifests.find(([path]) => path.includes('products'))?.[1] ?? '{}');
  const create = products.api.provides.find(({ name }: { name: string }) => name === 'products.create');
  expect(create).toMatchObject({
    description: 'Create a product.',
    permission: 'products.create',
    rate_limit: 1_200,
    input: { type: 'object', required: ['sku', 'title', 'price'] },
  });
  expect(JSON.stringify(products.api.provides)).not.toContain('$ref');
});
