import { expect, test, vi } from 'vitest';
import { filePart, formRequest } from '../../server/testing/form-body.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { storedFiles } from '../../server/testing/stored-files.ts';

vi.mock('sharp', () => {
  throw new Error('Could not load the "sharp" module');
});

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller('products.view', 'products.create', 'products.edit');

test('where sharp does not load, an image is refused clearly and everything else works', async () => {
  const { body } = await merchant.post('/api/v1/products', { sku: 'A', title: 'T', price: 1 });
  const url = `/api/v1/products/${body.product.id}`;
  const content = Buffer.from('89504e470d0a1a0a0000', 'hex');
  const refused = await merchant.request(formRequest(`${url}/images`, filePart(content)));
  expect({ status: refused.status, code: refused.body.code }).toEqual({
    status: 503,
    code: 'products.images_unavailable',
  });
  expect(await storedFiles(platform.kernel)).toEqual([]);
  expect((await merchant.patch(url, { title: 'New' })).status).toBe(200);
});
