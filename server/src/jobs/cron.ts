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

/** Whether a day on which the job runs has a run in each hour. */
export function runsEveryHour(cron: string): boolean {
  const [, hour = ''] = cron.trim().split(/\s+/);
  return /^\*(\/1)?$/.test(hour);
}
