import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/* Figures from /proc, which only Linux has. On other systems they are NaN or empty. */

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU time of the process so far, or of those of its child processes that have ended, in seconds. */
export async function cpuSeconds(pid: number, { ofEndedChildren = false } = {}): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const first = ofEndedChildren ? 13 : 11;
  return (Number(fields[first]) + Number(fields[first + 1])) / ticksPerSecond;
}

export interface Memory {
  /** Resident, in megabytes. Shared memory counts in full. */
  readonly rss: number;
  /** Proportional, in megabytes. Shared memory counts in proportion, so processes can be added up. */
  readonly pss: number;
  /** Private, in megabytes. */
  readonly own: number;
}

export async function readMemory(pid: number): Promise<Memory> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const field = (name: string) => Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(rollup)?.[1] ?? Number.NaN) / 1024;
  return { rss: field('Rss'), pss: field('Pss'), own: field('Private_Clean') + field('Private_Dirty') };
}

export async function listChildren(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(readParent));
  return pids.filter((_, index) => parents[index] === parent);
}

async function readParent(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
