import { expect } from 'vitest';
import type { TestCaller, TestPlatform } from './platform.ts';

export const tea = { name: 'Green tea, 250 g', quantity: 2, price: '199.50' };
const address = {
  first_name: 'Asha',
  last_name: 'Rao',
  address1: '12 Residency Road',
  city: 'Bengaluru',
  state: 'Karnataka',
  pincode: '560025',
  country: 'IN',
  phone: '+91 80 4123 4567',
};

const permissions = [
  ...['view', 'create', 'edit', 'cancel', 'refund'].map((verb) => `orders.${verb}`),
  ...['create', 'view_sensitive', 'delete', 'export', 'merge'].map((verb) => `customers.${verb}`),
  ...['settings.view', 'settings.edit', 'products.edit'],
];

/** A tenant with orders that can be invoiced. */
export async function openInvoiceShop(platform: TestPlatform) {
  const tenant = await platform.tenant({ name: 'Acme Teas' });
  const caller = tenant.caller(...permissions);
  const post = async (path: string, body: object = {}) => {
    const response = await caller.post(`/api/v1${path}`, body);
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
    return response.body;
  };
  return {
    tenant,
    caller,
    post,
    async order(fields: object = {}) {
      const customer = { email: 'asha@example.com', phone: '+919876543210', first_name: 'Asha', last_name: 'Rao' };
      const given = { customer, items: [tea], status: 'confirmed', shipping_address: address, ...fields };
      return (await post('/orders', given)).order;
    },
    issue: async ({ id }: { id: string }) => (await post(`/orders/${id}/invoice`)).invoice,
    async configure(settings: object) {
      const { status, body } = await caller.patch('/api/v1/settings', settings);
      expect({ status, body }).toMatchObject({ status: 200 });
    },
    /** A document with its headers. */
    async print(path: string, as: TestCaller = caller) {
      const headers = { authorization: `Bearer ${as.token}`, 'x-tenant': tenant.id };
      const response = await platform.app.inject({ method: 'GET', url: `/api/v1${path}`, headers });
      expect(response.statusCode, response.body.slice(0, 500)).toBe(200);
      return { headers: response.headers as Record<string, string>, data: response.rawPayload };
    },
  };
}
