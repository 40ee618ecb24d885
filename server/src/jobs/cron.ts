import { PgBoss } from 'pg-boss';

// Never started: `previewSchedule` computes in process, with the rules of `schedule`.
const parser = new PgBoss({ db: { executeSql: async () => ({ rows: [] }) } });

/** Why a schedule cannot be used, or `undefined`. */
export function cronProblem(cron: string): string | undefined {
  if (cron.trim().split(/\s+/).length !== 5) return 'it must have five fields';
  try {
    parser.previewSchedule(cron, { count: 1 });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export function runsSeveralTimesADay(cron: string): boolean {
  const times = parser.previewSchedule(cron, { count: 3 }).map((time) => time.getTime());
  return times.some((time, index) => time - (times[index - 1] ?? 0) < 20 * 3_600_000);
}
