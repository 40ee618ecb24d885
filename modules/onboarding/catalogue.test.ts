import { describe, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { type TestTenant, uniqueId } from '../../server/testing/platform.ts';

/* Mandatory products belong to the reseller, in its own tenant and in those of its merchants. */

const platform = await startAccounts({ environment: { APPLICATIONS_PER_MINUTE: '10000' } });
const reseller = await platform.tenant({ role: 'reseller' });
const asha = await platform.person({ tenant: reseller });
const products = '/api/v1/products';
const flag = (fields: object = {}) => ({ sku: uniqueId(), title: 'Flag', price: '5.00', mandatory: true, ...fields });
const needsRights = { status: 403, body: { message: 'This needs the permission reseller.catalogue.manage.' } };

const importCsv = (person: Person, csv: string) =>
  person.request({ method: 'POST', url: `${products}/import`, payload: csv, headers: { 'content-type': 'text/csv' } });

/** A merchant with copies of the products. */
async function merchant(): Promise<Person> {
  const code = { kyc_required: false, auto_approve: true };
  const { referral_code } = (await asha.post('/api/v1/admin/referral-codes', code)).body;
  const { body } = await platform.request({
    method: 'POST',
    url: '/api/v1/reseller-register/apply',
    payload: {
      referral_code: referral_code.code,
      business_name: 'Tea House',
      contact_name: 'Ravi',
      email: `${uniqueId()}@example.com`,
      password: 'correct horse battery',
    },
  });
  return platform.person({ tenant: { id: body.tenant_id } as TestTenant });
}

const find = async (person: Person, sku: string) => (await person.get(`${products}/lookup?sku=${sku}`)).body.product;

describe('making a product mandatory', () => {
  test('needs the permission for the catalogue, over every way', async () => {
    const manager = await platform.person({ tenant: reseller, role: 'Manager' });
    expect(await manager.post(products, flag())).toMatchObject(needsRights);
    const own = flag({ mandatory: false });
    const { id } = (await manager.post(products, own)).body.product;
    expect(await manager.patch(`${products}/${id}`, { mandatory: true })).toMatchObject(needsRights);
    expect(await manager.patch(`${products}/${id}`, { mandatory: false, title: 'Big flag' })).toMatchObject({
      status: 200,
    });
    const query = 'mutation ($id: ID!) { updateProduct(id: $id, input: { mandatory: true }) { id } }';
    const { errors } = (await manager.post('/api/v1/graphql', { query, variables: { id } })).body;
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(await asha.patch(`${products}/${id}`, { mandatory: true })).toMatchObject({ status: 200 });
    expect(await manager.patch(`${products}/${id}`, { mandatory: false })).toMatchObject(needsRights);
    expect(await asha.delete(`${products}/${id}`)).toMatchObject({ status: 200 });
  });

  test('is refused for each row of an import', async () => {
    const { body: role } = await asha.post('/api/v1/roles', {
      name: 'Importer',
      permissions: ['products.view', 'products.import'],
    });
    const importer = await platform.person({ tenant: reseller, role: 'Agent' });
    await asha.patch(`/api/v1/team/${importer.id}`, { role: role.role.id });
    const [one, other] = [uniqueId(), uniqueId()];
    const csv = `sku,title,price,mandatory\r\n${one},One,1,true\r\n${other},Other,2,false\r\n`;
    const errors = [{ line: 2, errors: { mandatory: ['This needs the permission reseller.catalogue.manage.'] } }];
    expect((await importCsv(importer, csv)).body).toMatchObject({ created: 1, failed: 1, errors });
    expect((await importCsv(asha, csv)).body).toMatchObject({ created: 1, failed: 0 });
  });

  test('is for resellers only', async () => {
    const owner = await platform.person({ tenant: await platform.tenant() });
    expect(await owner.post(products, flag())).toMatchObject(needsRights);
  });
});

describe('in the tenant of a merchant', () => {
  const problem = 'The product is mandatory: your reseller sets everything except its stock.';

  test('a mandatory product has the fields of the reseller and its own stock', async () => {
    const product = flag();
    await asha.post(products, product);
    const ravi = await merchant();
    const copy = await find(ravi, product.sku);
    const path = `${products}/${copy.id}`;
    const changes = { title: 'Mine', price: '1.00', mandatory: false, status: 'archived', description: 'Mine' };
    const refused = await ravi.patch(path, changes);
    expect({ status: refused.status, errors: refused.body.errors }).toEqual({
      status: 422,
      errors: Object.fromEntries(Object.keys(changes).map((field) => [field, [problem]])),
    });
    expect(await ravi.patch(path, { stock: 4, title: 'Flag', price: 5, mandatory: true })).toMatchObject({
      status: 200,
    });
    expect(await ravi.post(`${path}/stock`, { change: 3 })).toMatchObject({ body: { product: { stock: 7 } } });
    expect(await ravi.delete(path)).toMatchObject({ status: 409, body: { code: 'products.is_mandatory' } });
    expect(await find(ravi, product.sku)).toMatchObject({ title: 'Flag', price: '5.00', mandatory: true, stock: 7 });
  });

  test('it has the variants of the reseller, and their stock is its own', async () => {
    const options = [{ name: 'Size' }];
    const sizes = (...names: string[]) => names.map((Size) => ({ options: { Size }, weight_grams: 50 }));
    const product = flag({ options, variants: sizes('S', 'M') });
    const { id, variants } = (await asha.post(products, product)).body.product;
    await asha.post(`/api/v1/variants/${variants[0].id}/stock`, { change: 9 });
    const ravi = await merchant();
    const copy = await find(ravi, variants[1].sku);
    expect(copy).toMatchObject({
      mandatory: true,
      stock: 0,
      options: [{ name: 'Size', values: ['S', 'M'] }],
      variants: [
        { sku: variants[0].sku, title: 'S', weight_grams: 50, stock: 0 },
        { sku: variants[1].sku, title: 'M', price: '5.00', stock: 0 },
      ],
    });
    await ravi.post(`/api/v1/variants/${copy.variants[1].id}/stock`, { change: 4 });
    const refused = await ravi.patch(`${products}/${copy.id}/variants/${copy.variants[1].id}`, { price: 1 });
    expect(refused).toMatchObject({ status: 422, body: { errors: { variants: [problem] } } });
    expect((await ravi.patch(`${products}/${copy.id}/variants/${copy.variants[1].id}`, { stock: 5 })).status).toBe(200);
    const [, medium] = variants;
    const changed = [{ id: medium.id, price: '6.00' }, ...sizes('L')];
    expect((await asha.patch(`${products}/${id}`, { variants: changed })).status).toBe(200);
    await eventually(async () =>
      expect(await find(ravi, medium.sku)).toMatchObject({
        id: copy.id,
        stock: 5,
        price: '5.00',
        variants: [
          { id: copy.variants[1].id, title: 'M', price: '6.00', stock: 5 },
          { title: 'L', stock: 0 },
        ],
      }),
    );
  });

  test('its images are those of the reseller', async () => {
    const product = flag({ images: [{ url: '/flag.png', alt: 'Flag' }] });
    await asha.post(products, product);
    const ravi = await merchant();
    const { id, images } = await find(ravi, product.sku);
    const path = `${products}/${id}/images/${images[0].id}`;
    const refusal = { status: 409, body: { code: 'products.is_mandatory' } };
    expect(await ravi.patch(path, { alt: 'Mine' })).toMatchObject(refusal);
    expect(await ravi.delete(path)).toMatchObject(refusal);
  });

  test('an import changes only the stock', async () => {
    const product = flag();
    await asha.post(products, product);
    const ravi = await merchant();
    const { body } = await importCsv(ravi, `sku,title,price,mandatory,stock\r\n${product.sku},Mine,1,false,3\r\n`);
    expect(body).toMatchObject({
      updated: 0,
      errors: [{ line: 2, errors: { title: [problem], price: [problem], mandatory: [problem] } }],
    });
    expect((await importCsv(ravi, `sku,stock\r\n${product.sku},3\r\n`)).body).toMatchObject({ updated: 1, failed: 0 });
    expect(await find(ravi, product.sku)).toMatchObject({ title: 'Flag', price: '5.00', stock: 3 });
  });

  test('a product that is no longer mandatory belongs to the merchant', async () => {
    const product = flag();
    const { id } = (await asha.post(products, product)).body.product;
    const ravi = await merchant();
    await asha.patch(`${products}/${id}`, { mandatory: false });
    await eventually(async () => expect(await find(ravi, product.sku)).toMatchObject({ mandatory: false }));
    const copy = await find(ravi, product.sku);
    expect(await ravi.patch(`${products}/${copy.id}`, { title: 'Mine' })).toMatchObject({ status: 200 });
    expect(await ravi.delete(`${products}/${copy.id}`)).toMatchObject({ status: 200 });
  });
});
