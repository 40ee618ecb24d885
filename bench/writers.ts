import type { Platform } from './platform.ts';

/* Many who write at once. */

const writers = 32;

export interface Write {
  readonly name: string;
  /** The n-th request, about a customer. */
  request(customerId: string, n: number): { readonly method: string; readonly path: string; readonly body: object };
}

export const writes: readonly Write[] = [
  {
    name: 'customers changed',
    request: (id, n) => ({ method: 'PATCH', path: `/customers/${id}`, body: { accepts_marketing: n % 2 === 0 } }),
  },
  {
    name: 'customers made',
    request: (_id, n) => ({ method: 'POST', path: '/customers', body: { first_name: `Writer ${n}` } }),
  },
  {
    name: 'orders made',
    request: (id) => ({
      method: 'POST',
      path: '/orders',
      body: { customer: { id }, items: [{ name: 'Tea', sku: 'TEA', quantity: 2, price: '49.50' }] },
    }),
  },
];

/** Writes for so long, about customers picked at random. */
export async function writeFor(
  { port }: Pick<Platform, 'port'>,
  headers: Record<string, string>,
  customerIds: readonly string[],
  write: Write,
  seconds: number,
): Promise<{ done: number; perSecond: number }> {
  const began = performance.now();
  const until = began + seconds * 1_000;
  let done = 0;
  const work = async () => {
    while (performance.now() < until) {
      const id = customerIds[Math.floor(Math.random() * customerIds.length)] as string;
      const { method, path, body } = write.request(id, done);
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, work));
  return { done, perSecond: (done * 1_000) / (performance.now() - began) };
}
