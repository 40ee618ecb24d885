import type { Platform } from './platform.ts';

const clients = 32;

export interface Write {
  readonly name: string;
  /** The n-th request, for one customer. */
  request(customerId: string, n: number): { readonly method: string; readonly path: string; readonly body: object };
}

export const writes: readonly Write[] = [
  {
    name: 'customers updated',
    request: (id, n) => ({ method: 'PATCH', path: `/customers/${id}`, body: { accepts_marketing: n % 2 === 0 } }),
  },
  {
    name: 'customers created',
    request: (_id, n) => ({ method: 'POST', path: '/customers', body: { first_name: `Writer ${n}` } }),
  },
  {
    name: 'orders created',
    request: (id) => ({
      method: 'POST',
      path: '/orders',
      body: { customer: { id }, items: [{ name: 'Tea', sku: 'TEA', quantity: 2, price: '49.50' }] },
    }),
  },
];

/** Sends writes for `seconds`, each for a random customer. */
export async function writeFor(
  { port }: Pick<Platform, 'port'>,
  headers: Record<string, string>,
  customerIds: readonly string[],
  write: Write,
  seconds: number,
): Promise<{ done: number; perSecond: number }> {
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1_000;
  let done = 0;
  const work = async () => {
    while (performance.now() < deadline) {
      const id = customerIds[Math.floor(Math.random() * customerIds.length)] as string;
      const { method, path, body } = write.request(id, done);
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return { done, perSecond: (done * 1_000) / (performance.now() - startedAt) };
}
