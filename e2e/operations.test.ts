import { expect, test } from 'vitest';
import {
  CreateProductDocument,
  FindProductsDocument,
  type OperationText,
  ShowOrderDocument,
} from './operations/generated.ts';
import { type InstalledPlatform, startInstalledPlatform } from './platform.ts';

/** Sends an operation as a client of an integrator does. */
async function send<Result, Variables>(
  { url, tenant, token }: InstalledPlatform,
  query: OperationText<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const response = await fetch(`${url}/api/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-tenant': tenant },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Result; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

test('generated operations run on a platform, and their results have the generated types', async () => {
  const platform = await startInstalledPlatform();
  const { createProduct } = await send(platform, CreateProductDocument, {
    input: { sku: 'TEA-1', title: 'Tea', price: 49.5, stock: 3 },
  });
  const price: string | undefined = createProduct?.price;
  expect(price).toBe('49.50');
  const { products } = await send(platform, FindProductsDocument, { search: 'tea' });
  expect(products).toEqual({
    nodes: [{ id: createProduct?.id, sku: 'TEA-1', title: 'Tea', price: '49.50', status: 'active', stock: 3 }],
    totalCount: 1,
    pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
  });
});

/** Never called: `npm run check` fails if one of these lines compiles. */
export async function wrongUses(platform: InstalledPlatform): Promise<void> {
  // @ts-expect-error: the id is missing
  await send(platform, ShowOrderDocument, {});
  // @ts-expect-error: a number is not a title
  await send(platform, CreateProductDocument, { input: { sku: 'TEA-1', title: 1, price: '49.50' } });
  // @ts-expect-error: there is no such variable
  await send(platform, FindProductsDocument, { colour: 'red' });
  const { order } = await send(platform, ShowOrderDocument, { id: '1' });
  // @ts-expect-error: the order may not exist
  order.total;
  // @ts-expect-error: the operation does not select it
  order?.note;
}
