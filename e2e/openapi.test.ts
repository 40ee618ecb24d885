import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, expect, test } from 'vitest';
import { lintWithRedocly, lintWithSpectral } from './lint-openapi.ts';
import { startInstalled } from './platform.ts';

const file = resolve(import.meta.dirname, '../docs/openapi.json');
const text = await readFile(file, 'utf8');

test("Redocly's recommended rules find nothing to warn of", async () => {
  expect(await lintWithRedocly(text)).toEqual([]);
});

test("Spectral's recommended rules find nothing to warn of", async () => {
  expect(await lintWithSpectral(text)).toEqual([]);
});

/** What an integrator writes against the generated types. */
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

/** What the compiler says about a program beside the generated types. */
async function problemsIn(name: string, source: string): Promise<string[]> {
  const path = join(folder, name);
  await writeFile(path, source);
  const options: ts.CompilerOptions = {
    ...{ target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, strict: true, noEmit: true, types: [] },
    ...{ skipLibCheck: true, allowImportingTsExtensions: true, exactOptionalPropertyTypes: true },
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'],
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram([path], options));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('openapi-typescript gives types with names, and a program written with them works', async () => {
  expect(await problemsIn('integrator.ts', program)).toEqual([]);
  const { takeOrder } = await import(join(folder, 'integrator.ts'));
  const { url, token, tenant } = await startInstalled();
  expect(await takeOrder(url, token, tenant)).toMatchObject({
    total: '99.00',
    status: 'pending',
    items: [{ name: 'Tea' }],
  });
});

test('the types refuse what the platform would refuse', async () => {
  const wrong = program
    .replace("price: '49.50'", "price: true, colour: 'red'")
    .replace('data.order.id', 'data.order.number');
  expect((await problemsIn('wrong.ts', wrong)).length).toBeGreaterThanOrEqual(2);
});
