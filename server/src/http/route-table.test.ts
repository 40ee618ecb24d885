import { signedIn } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const { kernel } = await startPlatform();
const routes = kernel.routes.map((route) => ({
  ...route,
  name: `${route.method} ${route.root ? '' : '/api/v1'}${route.path}`,
}));

test('there are routes to look at', () => {
  expect(routes.length).toBeGreaterThan(5);
});

test.each(routes)('$name says who may call it: the holder of a permission, or anyone', (route) => {
  const declared = [route.public === true, typeof route.needs === 'string' && route.needs !== ''];
  expect(declared.filter(Boolean)).toHaveLength(1);
});

test.each(routes)('$name can be called: a permission is held in a tenant and nowhere else', (route) => {
  if (route.needs && route.needs !== signedIn) expect(route.tenant ?? 'required').toBe('required');
});

test.each(routes)('$name declares exactly the parameters of its path', ({ path, params }) => {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  expect(Object.keys(params?.properties ?? {}).toSorted()).toEqual(inPath.toSorted());
});

test.each(routes)('$name is written as every path is', ({ path, summary, tag }) => {
  expect(path).toMatch(/^(?:\/(?:[a-z0-9._-]+|:[a-z_]+))+$/);
  expect(tag).not.toBe('');
  expect(summary).toMatch(/\.$/);
});

test('no two routes share a method and a path, whatever they call their parameters', () => {
  const names = routes.map(({ name }) => name.replace(/:\w+/g, ':'));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
