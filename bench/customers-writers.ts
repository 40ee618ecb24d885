import type pg from 'pg';
import { figure, median, printTable } from './figures.ts';
import type { Platform } from './platform.ts';

/* What do the kept counters cost those who write? The same writers with the triggers and without, in turn. */

const writers = 32;
const rounds = 5;
const seconds = 4;

type Write = (id: string, n: number) => { method: string; path: string; body: object };

const kinds: [name: string, Write][] = [
  [
    'customers changed',
    (id, n) => ({ method: 'PATCH', path: `/customers/${id}`, body: { accepts_marketing: n % 2 === 0 } }),
  ],
  ['customers made', (_id, n) => ({ method: 'POST', path: '/customers', body: { first_name: `Writer ${n}` } })],
  [
    'orders made',
    (id) => ({
      method: 'POST',
      path: '/orders',
      body: { customer: { id }, items: [{ name: 'Tea', sku: 'TEA', quantity: 2, price: '49.50' }] },
    }),
  ],
];

export async function compareWriters(
  { port }: Platform,
  client: pg.Client,
  headers: Record<string, string>,
  size: number,
): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM customers ORDER BY random() LIMIT 20000');
  const ids = rows.map(({ id }) => id);
  const table: string[][] = [];
  for (const [name, write] of kinds) {
    const measured: [number, number][] = [];
    await press(port, headers, ids, write);
    for (let round = 0; round < rounds; round += 1) {
      const kept = await press(port, headers, ids, write);
      await client.query('ALTER TABLE customers DISABLE TRIGGER USER');
      const plain = await press(port, headers, ids, write);
      await client.query('ALTER TABLE customers ENABLE TRIGGER USER');
      measured.push([kept, plain]);
    }
    const ratios = measured.map(([kept, plain]) => kept / plain);
    table.push([
      name,
      figure(median(measured.map(([kept]) => kept)), '/s'),
      figure(median(measured.map(([, plain]) => plain)), '/s'),
      figure(median(ratios)),
      `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
      '≥ 0.9',
    ]);
  }
  printTable(
    `Writers among ${size.toLocaleString('en')} customers: ${writers} clients, ${rounds} rounds of ${seconds} s in turn, medians`,
    ['', 'counters kept', 'not kept', 'ratio', 'of the rounds', 'aim'],
    table,
  );
}

/** Writes a second. */
async function press(
  port: number,
  headers: Record<string, string>,
  ids: readonly string[],
  write: Write,
): Promise<number> {
  const began = performance.now();
  const until = began + seconds * 1_000;
  let done = 0;
  const work = async () => {
    while (performance.now() < until) {
      const id = ids[Math.floor(Math.random() * ids.length)] as string;
      const { method, path, body } = write(id, done);
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
  return (done * 1_000) / (performance.now() - began);
}
