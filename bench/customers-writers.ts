import type pg from 'pg';
import { figure, median, printTable } from './figures.ts';
import type { Platform } from './platform.ts';
import { writeFor, writes } from './writers.ts';

/* What do the kept counters cost those who write? The same writers with the triggers and without, in turn. */

const rounds = 5;
const seconds = 4;

export async function compareWriters(
  { port }: Platform,
  client: pg.Client,
  headers: Record<string, string>,
  size: number,
): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM customers ORDER BY random() LIMIT 20000');
  const ids = rows.map(({ id }) => id);
  const table: string[][] = [];
  for (const write of writes) {
    const measured: [number, number][] = [];
    const press = async () => (await writeFor({ port }, headers, ids, write, seconds)).perSecond;
    await press();
    for (let round = 0; round < rounds; round += 1) {
      const kept = await press();
      await client.query('ALTER TABLE customers DISABLE TRIGGER USER');
      const plain = await press();
      await client.query('ALTER TABLE customers ENABLE TRIGGER USER');
      measured.push([kept, plain]);
    }
    const ratios = measured.map(([kept, plain]) => kept / plain);
    table.push([
      write.name,
      figure(median(measured.map(([kept]) => kept)), '/s'),
      figure(median(measured.map(([, plain]) => plain)), '/s'),
      figure(median(ratios)),
      `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
      '≥ 0.9',
    ]);
  }
  printTable(
    `Writers among ${size.toLocaleString('en')} customers: 32 clients, ${rounds} rounds of ${seconds} s in turn, medians`,
    ['', 'counters kept', 'not kept', 'ratio', 'of the rounds', 'aim'],
    table,
  );
}
