import type { Kernel } from '../kernel.ts';
import { operatorName } from '../operator-name.ts';
import { type ReloadReport, reloadReportChannel } from '../rings/ring-reload.ts';
import { requireRing } from '../tenancy/rings.ts';
import type { Command } from './command.ts';
import { requestReload } from './platform-service.ts';

/** A front says at once that it has begun. */
const answerMs = 5_000;
const startMs = 5 * 60_000;

export const ringReloadCommand: Command = {
  name: 'ring:reload',
  usage: '<ring> [--no-wait] [--json]',
  summary: "replace the ring's process behind each running front, so that it reads the lock file again",
  options: { 'no-wait': { type: 'boolean' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, say, table, progress }, { positionals: [name = ''], options }) {
    const kernel = await open();
    const ring = (await requireRing(kernel.central.db, name)).name;
    if (options['no-wait']) {
      await requestReload(kernel, ring, operatorName());
      if (options.json) return table([{ ring, status: 'requested' }], '');
      return say(`Asked the fronts to replace the process of the ring ${ring}; their logs say when it is done.`);
    }
    const reports = await follow(kernel, ring, progress);
    await requestReload(kernel, ring, operatorName());
    const fronts = await reports.settled();
    if (options.json) table([{ ring, status: 'replaced', fronts }], '');
    else say(`The ring ${ring} runs a new process behind ${fronts.join(' and ')}.`);
  },
};

/** Listens to the fronts. `settled` resolves to those that have replaced the process, and throws if one has not. */
async function follow({ signals }: Kernel, ring: string, progress: (line: string) => void) {
  const fronts = new Map<string, ReloadReport['status']>();
  let changed = Promise.withResolvers<void>();
  await signals.listen(reloadReportChannel, {
    onNotify(text) {
      const report = JSON.parse(text) as ReloadReport;
      if (report.ring !== ring) return;
      fronts.set(report.front, report.status);
      if (report.status === 'starting') progress(`${report.front}: starting a new process of the ring ${ring}`);
      changed.resolve();
      changed = Promise.withResolvers();
    },
    onConnectionChange() {},
  });
  const waitUntil = async (isTrue: () => boolean, ms: number) => {
    const timeout = AbortSignal.timeout(ms);
    const ended = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve()));
    while (!isTrue() && !timeout.aborted) await Promise.race([changed.promise, ended]);
  };
  const list = (status: ReloadReport['status']) =>
    [...fronts].filter(([, one]) => one === status).map(([name]) => name);
  return {
    async settled(): Promise<string[]> {
      await waitUntil(() => fronts.size > 0, answerMs);
      await waitUntil(() => list('starting').length === 0, startMs);
      const [failed, late] = [list('failed'), list('starting')];
      if (fronts.size === 0) throw new Error(`no front has the ring ${ring}; start its processes again instead`);
      if (failed.length > 0)
        throw new Error(
          `the new process did not start, and the earlier one goes on; see the log of ${failed.join(' and ')}`,
        );
      if (late.length > 0) throw new Error(`the new process is not ready yet; see the log of ${late.join(' and ')}`);
      return list('ready');
    },
  };
}
