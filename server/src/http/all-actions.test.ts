import { permissionsFor, signedIn } from '@chowk/kit/kernel';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { pathParameters } from '../actions/registry.ts';

const { kernel } = await startPlatform();
const { actions } = kernel;
const routes = actions.filter(({ method }) => method);

test('actions and routes are registered', () => {
  expect(actions.length).toBeGreaterThan(5);
  expect(routes.length).toBeGreaterThan(5);
});

test.each(actions)('$name declares a permission, signedIn, public or internal', (action) => {
  const isForSome = action.needs === signedIn || permissionsFor(action).length > 0;
  expect([action.public === true, isForSome, action.internal !== undefined].filter(Boolean)).toHaveLength(1);
  expect(permissionsFor(action)).not.toContain('');
});

test.each(actions)('$name requires a tenant if it requires a permission', (action) => {
  if (permissionsFor(action).length > 0) expect(action.tenant ?? 'required').toBe('required');
});

test.each(actions)('$name is served over HTTP or over the bus', ({ http, bus, internal }) => {
  expect(http !== undefined || bus !== undefined || internal !== undefined).toBe(true);
  // An operation for other modules is reachable in no other way.
  if (internal) expect({ http, bus }).toEqual({ http: undefined, bus: undefined });
});

test.each(actions)('$name has a valid name, a tag and a summary', ({ name, summary, tag }) => {
  expect(name).toMatch(/^[a-z][a-zA-Z-]*\.[a-z][a-zA-Z]*$/);
  expect(tag).not.toBe('');
  expect(summary).toMatch(/^[A-Z].*[^.]$/);
});

const jsonSchema = new Ajv2020({ strict: false, validateFormats: false });

test.each(actions)('$name has valid schemas', ({ input = {}, output = {} }) => {
  for (const schema of [input, output]) {
    expect(jsonSchema.validateSchema(schema), jsonSchema.errorsText()).toBe(true);
  }
});

test.each(kernel.modules)('$alias has valid schemas for events, jobs and settings', ({ definition, manifest }) => {
  const schemas = [
    ...Object.values(definition.events ?? {}).map(({ payload }) => payload),
    ...Object.values(definition.jobs ?? {}).map(({ data }) => data),
    ...(manifest.settings ?? []).map(({ schema }) => schema as object),
  ];
  for (const schema of schemas) expect(jsonSchema.validateSchema(schema), jsonSchema.errorsText()).toBe(true);
});

test.each(routes)('$http has an input with every parameter of its path', ({ path, input }) => {
  expect(Object.keys(input?.properties ?? {})).toEqual(expect.arrayContaining(pathParameters(path)));
});

test.each(routes)('$http has a valid path', ({ path }) => {
  expect(path).toMatch(/^(?:\/(?:[a-z0-9._-]+|:[a-z_]+))+$/);
});

test('no two routes have the same method and path, ignoring parameter names', () => {
  const names = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
