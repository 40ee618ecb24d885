import { type AccountsPlatform, startAccounts } from './accounts.ts';
import type { PaymentServer, ServedLink, SignedEvent } from './payment-server.ts';
import type { TestResponse, TestTenant } from './platform.ts';
import { startRazorpay } from './razorpay-server.ts';
import { type StripeServer, startStripe } from './stripe-server.ts';

export type Owner = Awaited<ReturnType<AccountsPlatform['person']>>;

export interface PaymentShop {
  readonly tenant: TestTenant;
  readonly owner: Owner;
  /** Creates an order of one item. */
  order(fields?: object): Promise<{ id: string; url: string; read(): Promise<TestResponse['body']> }>;
  /** Creates an order and a link for it. */
  linkedOrder(fields?: object): Promise<{ id: string; url: string; link: TestResponse['body']; served: ServedLink }>;
  /** Sends an event to the webhook of the tenant. */
  deliver(event: SignedEvent, host?: string): Promise<TestResponse>;
}

/** A platform with both providers. */
export async function startPaymentPlatform() {
  const servers: { stripe: StripeServer; razorpay: PaymentServer } = {
    stripe: await startStripe(),
    razorpay: await startRazorpay(),
  };
  const environment = { ...servers.stripe.environment, ...servers.razorpay.environment };
  const platform = await startAccounts({ environment });

  async function shop(provider: keyof typeof servers): Promise<PaymentShop> {
    const tenant = await platform.tenant();
    const owner = await platform.person({ tenant });
    const server = servers[provider];
    await owner.put(`/api/v1/payments/providers/${provider}`, server.keys);
    await owner.patch('/api/v1/settings', { 'payments.provider': provider });
    const order: PaymentShop['order'] = async (fields = {}) => {
      const customer = { first_name: 'Meera', last_name: 'Nair', email: `meera-${crypto.randomUUID()}@example.com` };
      const items = [{ name: 'Tea', quantity: 2, price: '250' }];
      const body = { customer, items, currency: 'INR', status: 'confirmed', ...fields };
      const { id } = (await owner.post('/api/v1/orders', body)).body.order;
      const url = `/api/v1/orders/${id}`;
      return { id, url, read: async () => (await owner.get(url)).body.order };
    };
    return {
      tenant,
      owner,
      order,
      linkedOrder: async (fields) => {
        const { id, url } = await order(fields);
        const { link } = (await owner.post(`${url}/payment-link`)).body;
        const served = [...server.links.values()].find(({ reference }) => reference === link.id) as ServedLink;
        return { id, url, link, served };
      },
      deliver: ({ payload, headers }, host = `${tenant.id}.localhost`) =>
        platform.request({
          method: 'POST',
          url: `/api/v1/payments/callbacks/${provider}`,
          payload,
          headers: { ...headers, host },
        }),
    };
  }
  return { platform, servers, shop };
}
