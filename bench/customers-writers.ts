import type pg from 'pg';
import { figure, median, printTable } from './figures.ts';
import type { Platform } from './platform.ts';
import { writeFor, writes } from './writers.ts';

/* What do the counters cost writers? The same writes with and without their triggers, alternately. */

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
    const measureWrites = async () => (await writeFor({ port }, headers, ids, write, seconds)).perSecond;
    await measureWrites();
    for (let round = 0; round < rounds; round += 1) {
      const withTriggers = await measureWrites();
      await client.query('ALTER TABLE customers DISABLE TRIGGER USER');
      const withoutTriggers = await measureWrites();
      await client.query('ALTER TABLE customers ENABLE TRIGGER USER');
      measured.push([withTriggers, withoutTriggers]);
    }
    const ratios = measured.map(([withTriggers, withoutTriggers]) => withTriggers / withoutTriggers);
    table.push([
      write.name,
      figure(median(measured.map(([withTriggers]) => withTriggers)), '/s'),
      figure(median(measured.map(([, withoutTriggers]) => withoutTriggers)), '/s'),
      figure(median(ratios)),
      `${figure(Math.min(...ratios))} – ${figure(Math.max(...ratios))}`,
      '≥ 0.9',
    ]);
  }
  printTable(
    `Writers among ${size.toLocaleString('en')} customers: 32 clients, ${rounds} rounds of ${seconds} s each, alternating, medians`,
    ['', 'with counters', 'without', 'ratio', 'range', 'target'],
    table,
  );
}
