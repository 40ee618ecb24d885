import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ChowkError, createClient } from '@chowk/client';

/* The server behind the pages of a shop. The secret stays here, and prices come from the catalogue. */

const {
  CHOWK_URL: url,
  CHOWK_TENANT: tenant,
  CHOWK_CLIENT_ID: id = '',
  CHOWK_CLIENT_SECRET: secret = '',
  PORT = '3000',
} = process.env;
const chowk = createClient({ url, tenant, apiClient: { id, secret } });

/** What a page sends. `id` is made by the page when the cart begins. */
interface Cart {
  readonly id: string;
  readonly items: { readonly sku: string; readonly quantity: number }[];
  readonly codes?: string[];
  readonly address?: { readonly address1: string; readonly city: string; readonly pincode: string };
}
interface Order extends Cart {
  readonly customer: { readonly first_name: string; readonly phone: string; readonly email?: string };
}

const routes: Record<string, (body: never) => Promise<object>> = {
  'GET /products': async () => {
    const { products } = await chowk.products.list({ status: 'active', per_page: 50 });
    return {
      products: products.map(({ sku, title, price, images }) => ({ sku, title, price, image: images[0]?.url })),
    };
  },
  'POST /cart': (cart: Cart) => chowk.orders.preview(toOrder(cart)),
  'POST /orders': async ({ customer, ...cart }: Order) => {
    // The same cart is ordered once, however often the page sends it.
    const { order } = await chowk.orders.create(
      { ...toOrder(cart), customer, external_ids: { website: cart.id } },
      { idempotencyKey: `cart-${cart.id}` },
    );
    const { order_number, total } = order;
    return { order_number, total, payment_url: await paymentUrl(order.id) };
  },
};

function toOrder({ items, codes = [], address }: Cart) {
  return { items, discount_codes: codes, ...(address ? { shipping_address: address } : {}) };
}

/** Where the customer pays; `null` if the shop takes no payments online. */
async function paymentUrl(id: string): Promise<string | null> {
  try {
    return (await chowk.payments.createLink({ id })).link.url;
  } catch (error) {
    if (error instanceof ChowkError && error.code === 'payments.not_configured') return null;
    throw error;
  }
}

async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
  const route = routes[`${request.method} ${request.url}`];
  if (!route) return { status: 404, body: { message: 'There is no such page.' } };
  try {
    const body = request.method === 'POST' ? JSON.parse(await text(request)) : undefined;
    return { status: 200, body: await route(body as never) };
  } catch (error) {
    if (error instanceof SyntaxError) return { status: 400, body: { message: 'The body must be JSON.' } };
    // What the customer can correct is shown; all else is ours.
    if (!(error instanceof ChowkError) || error.status >= 500) throw error;
    const { status, code, message, fields } = error;
    return { status, body: { code, message, fields } };
  }
}

const server = createServer((request, response) => {
  answer(request)
    .catch((error: unknown) => {
      console.error(error);
      return { status: 502, body: { message: 'The shop cannot be reached. Please try again.' } };
    })
    .then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
