import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, expect, test } from 'vitest';
import { lintOpenApi } from './lint-openapi.ts';
import { startInstalledPlatform } from './platform.ts';

const file = resolve(import.meta.dirname, '../docs/openapi.json');
const text = await readFile(file, 'utf8');

test('the recommended rules of Redocly and Spectral report no problem', async () => {
  expect(await lintOpenApi(text)).toEqual([]);
});

test('the rules find what integrators stumble over', async () => {
  const description = JSON.parse(text);
  const { schemas } = description.components;
  const [{ get: list }, { get: detail, patch: update }] = ['/api/v1/orders', '/api/v1/orders/{id}'].map(
    (path) => description.paths[path],
  );
  delete description.info.description;
  detail.operationId = list.operationId;
  list.tags = ['Nowhere'];
  list.security = [{ nowhere: [] }];
  update.parameters = [];
  update.responses = { 404: update.responses[404] };
  schemas.Unused = { type: 'array' };
  schemas.Order.required.push('colour');
  schemas.Order.properties.status = { type: 'string', enum: ['pending', 'pending', 5], example: 5 };
  schemas.Order.properties.customer_id = { $ref: '#/components/schemas/Nowhere' };
  const rules = new Set((await lintOpenApi(JSON.stringify(description))).map(({ rule }) => rule));
  expect([...rules].sort()).toEqual([
    'chowk/array-items',
    'chowk/enum-unique',
    'chowk/info-description',
    'no-enum-type-mismatch',
    'no-invalid-media-type-examples',
    'no-invalid-schema-examples',
    'no-required-schema-properties-undefined',
    'no-unresolved-refs',
    'no-unused-components',
    'operation-2xx-response',
    'operation-operationId-unique',
    'operation-tag-defined',
    'path-parameters-defined',
    'security-defined',
  ]);
});

/** A client program that uses the generated types. */
const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

type Order = components['schemas']['Order'];
type NewOrder = components['schemas']['NewOrder'];

const order: NewOrder = { customer: { phone: '+919876543210' }, items: [{ name: 'Tea', quantity: 2, price: '49.50' }] };

export async function takeOrder(baseUrl: string, token: string, tenant: string): Promise<Order> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\`, 'x-tenant': tenant } });
  const { data, error } = await client.POST('/api/v1/orders', { body: order });
  if (error) throw new Error(error.message);
  const found = await client.GET('/api/v1/orders/{id}', { params: { path: { id: data.order.id } } });
  if (!found.data) throw new Error('not found');
  return found.data.order;
}
`;

const folder = await mkdtemp(join(import.meta.dirname, '.integrator-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
await writeFile(join(folder, 'api.ts'), astToString(await openapiTS(JSON.parse(text))));

/** The compiler's errors in programs that use the generated types, by file name. */
async function compilerErrors(sources: Record<string, string>): Promise<(name: string) => string[]> {
  const paths = Object.keys(sources).map((name) => join(folder, name));
  for (const [name, source] of Object.entries(sources)) await writeFile(join(folder, name), source);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'],
  };
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram(paths, options));
  return (name) =>
    diagnostics
      .filter(({ file }) => !file || !paths.includes(file.fileName) || file.fileName.endsWith(`/${name}`))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

const wrongProgram = program
  .replace("price: '49.50'", "price: true, colour: 'red'")
  .replace('data.order.id', 'data.order.number');
// Both at once: most of the work is to read the generated types.
const errorsIn = await compilerErrors({ 'integrator.ts': program, 'wrong.ts': wrongProgram });

test('openapi-typescript generates named types, and a program that uses them works', async () => {
  expect(errorsIn('integrator.ts')).toEqual([]);
  const { takeOrder } = await import(join(folder, 'integrator.ts'));
  const { url, token, tenant } = await startInstalledPlatform();
  expect(await takeOrder(url, token, tenant)).toMatchObject({
    total: '99.00',
    status: 'pending',
    items: [{ name: 'Tea' }],
  });
});

test('the generated types reject input that the platform rejects', () => {
  expect(errorsIn('wrong.ts').length).toBeGreaterThanOrEqual(2);
});
