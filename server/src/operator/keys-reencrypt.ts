import { retireKeys } from '../tenancy/installation-key.ts';
import type { Reencrypted } from '../tenancy/sealed-tables.ts';
import type { Command } from './command.ts';
import { ProgressBar } from './progress-bar.ts';
import { reencryptDatabase, sealedDatabases } from './sealed-data.ts';

export const keysReencryptCommand: Command = {
  name: 'keys:reencrypt',
  usage: '[--json]',
  summary: 'encrypt all secrets with the current APP_KEY, so that the previous keys can be removed',
  async run({ kernel: open, table, progress, say }, { options }) {
    const kernel = await open();
    const databases = await sealedDatabases(kernel);
    const bar = new ProgressBar(databases.length);
    const totals = new Map<string, { done: number; lost: number }>();
    const failed: { database: string; error: string }[] = [];
    for (const database of databases) {
      try {
        addUp(totals, await reencryptDatabase(database, kernel));
        bar.step(true);
      } catch (error) {
        failed.push({ database: database.name, error: (error as Error).message });
        bar.step(false);
      }
    }
    const rows = [...totals].map(([name, { done, lost }]) => ({ table: name, reencrypted: done, unreadable: lost }));
    table(rows, '');
    for (const { database, error } of failed) progress(`  ${database}: ${error}`);
    if (failed.length > 0) throw new Error("some databases were not reached; run 'chowkd keys:reencrypt' again");
    if (rows.some(({ unreadable }) => unreadable > 0))
      throw new Error('some secrets are encrypted with an unknown key; add it to APP_PREVIOUS_KEYS and run this again');
    await retireKeys(kernel.central.db, kernel.secrets.keyIds);
    if (!options.json) say('Everything is encrypted with the current key. The previous keys can be removed.');
  },
};

function addUp(totals: Map<string, { done: number; lost: number }>, results: readonly Reencrypted[]): void {
  for (const { table, done, lost } of results) {
    const total = totals.get(table) ?? { done: 0, lost: 0 };
    totals.set(table, { done: total.done + done, lost: total.lost + lost });
  }
}
