import { Gauge, type Registry } from 'prom-client';
import { type LastRuns, readLastRuns } from '../backup/backup-runs.ts';
import { hasBackups } from '../backup/backup-services.ts';
import type { Kernel } from '../kernel.ts';

const keptMs = 10_000;

/** When the platform was backed up last. Without a place for backups there is nothing to measure. */
export function measureBackups(registry: Registry, { central, config, log }: Kernel): void {
  if (!hasBackups(config)) return;
  let latest: { readonly at: number; readonly runs: Promise<LastRuns | undefined> } | undefined;
  const read = () =>
    readLastRuns(central.db).catch((err: unknown) => {
      log.warn({ err }, 'the time of the last backup cannot be read');
      return undefined;
    });
  const runs = () => {
    if (!latest || performance.now() - latest.at > keptMs) latest = { at: performance.now(), runs: read() };
    return latest.runs;
  };
  const registers = [registry];
  new Gauge({
    name: 'chowk_backup_last_success_seconds',
    help: 'When the last good backup of the platform ended, in seconds since 1970; 0 if there is none.',
    registers,
    async collect() {
      this.set((await runs())?.backup ?? 0);
    },
  });
  new Gauge({
    name: 'chowk_backup_last_rehearsal_seconds',
    help: 'When a restore was last rehearsed with success, in seconds since 1970; 0 if never.',
    registers,
    async collect() {
      this.set((await runs())?.rehearsal ?? 0);
    },
  });
}
