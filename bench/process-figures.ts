import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/*
 * What Linux knows about a process. Other systems have no /proc; there these figures are missing and the rest of the
 * bench runs.
 */

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds of processor time the process has used so far. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

export interface Memory {
  /** Megabytes in memory, what is shared with others counted in full. */
  readonly rss: number;
  /** Megabytes in memory, what is shared counted in shares: these may be added up. */
  readonly pss: number;
  /** Megabytes that are its alone. */
  readonly own: number;
}

export async function memoryOf(pid: number): Promise<Memory> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const field = (name: string) => Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(rollup)?.[1] ?? Number.NaN) / 1024;
  return { rss: field('Rss'), pss: field('Pss'), own: field('Private_Clean') + field('Private_Dirty') };
}

export async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, index) => parents[index] === parent);
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
