import type { CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';

export interface Progress {
  add(bytes: number): void;
  /** Removes the bar. */
  end(): void;
}

const barWidth = 24;
const intervalMs = 100;

/** A bar on stderr, on a terminal only; without a total it shows how much has been moved. */
export function startProgress(
  { stderr }: Environment,
  options: CommandInput['options'],
  { title, total }: { readonly title: string; readonly total?: number | undefined },
): Progress {
  if (!stderr.isTerminal || options.quiet) return { add() {}, end() {} };
  let done = 0;
  let shownAt = 0;
  const show = () => stderr.write(`\r\u001b[K${title} ${total ? bar(done, total) : formatBytes(done)}`);
  return {
    add(bytes) {
      done += bytes;
      const now = Date.now();
      if (now - shownAt < intervalMs && done !== total) return;
      shownAt = now;
      show();
    },
    end: () => stderr.write('\r\u001b[K'),
  };
}

function bar(done: number, total: number): string {
  const share = Math.min(1, done / total);
  const full = Math.round(share * barWidth);
  return `[${'='.repeat(full)}${' '.repeat(barWidth - full)}] ${Math.floor(share * 100)} % of ${formatBytes(total)}`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB'];
  const index = Math.min(units.length, Math.floor(Math.log10(bytes) / 3)) - 1;
  return `${(bytes / 1_000 ** (index + 1)).toFixed(1)} ${units[index]}`;
}
