import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../server/src/loader/lock-path.ts';
import { moduleManifests } from './provides.ts';

const manifests = Object.entries(await moduleManifests());

test('modules are found', () => {
  expect(manifests.length).toBeGreaterThan(3);
});

test.each(manifests)('api.provides in %s matches the actions of the module', async (path, text) => {
  expect(JSON.parse(await readFile(join(repository, path), 'utf8'))).toEqual(JSON.parse(text));
});

test('an operation has its permission, its rate limit and a schema of its input without references', () => {
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
