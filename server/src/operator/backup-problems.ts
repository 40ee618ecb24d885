import { readLastRuns } from '../backup/backup-runs.ts';
import { hasBackups, openBackupStore } from '../backup/backup-services.ts';
import type { Kernel } from '../kernel.ts';
import type { Finding } from '../tenancy/doctor.ts';

const daySeconds = 86_400;
/** A nightly backup may take hours. */
const maxBackupAge = 30 * 3_600;
const maxRehearsalAge = 35 * daySeconds;

/** Backups that are missing, old or unreadable, and restores that were not rehearsed for a month. */
export async function findBackupProblems({ central, config, now }: Kernel): Promise<Finding[]> {
  if (!hasBackups(config)) return [];
  const { backup, first, rehearsal, error } = await readLastRuns(central.db);
  const findings: Finding[] = [];
  const find = (problem: string, subject: string, remedy: string) => findings.push({ problem, subject, remedy });
  const age = (seconds: number | null) => now().getTime() / 1_000 - (seconds ?? 0);
  if (backup === null) find('no backup', 'the platform was never backed up', "run 'chowkd backup'");
  else if (age(backup) > maxBackupAge)
    find('old backup', `the last one is ${inDays(age(backup))} old`, "run 'chowkd backup'");
  if (error !== null) find('failed backup', error, "correct it and run 'chowkd backup'");
  if (first !== null && age(rehearsal ?? first) > maxRehearsalAge) {
    const subject =
      rehearsal === null ? 'a restore was never rehearsed' : `the last one was ${inDays(age(rehearsal))} ago`;
    find('no rehearsal of a restore', subject, "run 'chowkd backup:rehearse'");
  }
  const problem = await openBackupStore(config).then(
    (store) => store.listIds().then(() => undefined),
    (failure: Error) => failure.message,
  );
  if (problem !== undefined && backup !== null) find('backups cannot be read', problem, 'correct it');
  return findings;
}

function inDays(seconds: number): string {
  const hours = Math.round(seconds / 3_600);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
