import { type Db, sql } from '@chowk/kit/kernel';
import { countOf } from '../count-of.ts';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Counts are kept that long. */
const maxSoakMs = 90 * units.d;
/** A version may have one more internal error in that many calls than the one before it. */
const callsPerFurtherError = 1_000;
/** Fewer calls show nothing. */
const minCalls = 100;

/** `30m`, `48h` or `7d` in milliseconds; `undefined` if it is none of them. */
export function readDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  const duration = Number(amount) * units[unit as keyof typeof units];
  return duration > 0 && duration <= maxSoakMs ? duration : undefined;
}

interface Served {
  /** When the version began to serve the ring alone; what follows counts its calls since then. */
  since: string | null;
  calls: number;
  errors: number;
  /** The version before it, and its calls. */
  beforeVersion: string | null;
  beforeCalls: number;
  beforeErrors: number;
}

export interface Soak {
  readonly ring: string;
  readonly alias: string;
  readonly version: string;
  readonly durationMs: number;
}

/**
 * Why a version has not proved itself on a ring: it has not served long enough, or it has more internal errors than the version
 * before it. `undefined` if it has. The calls of an hour are counted together, so the time begins with the first full hour.
 */
export async function soakProblem(db: Db, soak: Soak, now: Date): Promise<string | undefined> {
  const { ring, alias, version, durationMs } = soak;
  const served = (await readServed(db, soak)) as Served;
  const subject = `${alias} ${version}`;
  if (served.since === null) return `${subject} has served no calls on ${ring}`;
  const elapsedMs = Math.max(0, now.getTime() - (Date.parse(served.since) + units.h));
  if (elapsedMs < durationMs) {
    return `${subject} has served ${ring} for ${inHours(elapsedMs)} full hours, not for ${inHours(durationMs)}`;
  }
  if (served.calls < minCalls) {
    return `${subject} has served only ${countOf(served.calls, 'call')} on ${ring}, fewer than ${minCalls}`;
  }
  const rate = served.errors / served.calls;
  const rateBefore = served.beforeCalls > 0 ? served.beforeErrors / served.beforeCalls : 0;
  if (rate <= rateBefore + 1 / callsPerFurtherError) return undefined;
  const before =
    served.beforeVersion === null
      ? 'none is expected'
      : `${served.beforeErrors} of ${served.beforeCalls} of ${served.beforeVersion}`;
  return `${subject} has internal errors on ${ring}: ${served.errors} of ${served.calls} calls, before it ${before}`;
}

function inHours(milliseconds: number): number {
  return Math.floor((milliseconds / units.h) * 10) / 10;
}

/** Older hours of the version do not count if another one has served in between. */
function readServed(db: Db, { ring, alias, version }: Soak): Promise<Served | undefined> {
  return db.row<Served>(sql`
    WITH counts AS (SELECT * FROM module_call_counts WHERE ring = ${ring} AND alias = ${alias}),
    before AS (
      SELECT version, max(hour) AS last, sum(calls)::float AS calls, sum(errors)::float AS errors
      FROM counts WHERE version <> ${version} GROUP BY version ORDER BY max(hour) DESC LIMIT 1)
    SELECT min(c.hour) AS since, coalesce(sum(c.calls), 0)::float AS calls, coalesce(sum(c.errors), 0)::float AS errors,
      (SELECT version FROM before) AS "beforeVersion", coalesce((SELECT calls FROM before), 0) AS "beforeCalls",
      coalesce((SELECT errors FROM before), 0) AS "beforeErrors"
    FROM counts c WHERE version = ${version} AND hour >= coalesce((SELECT last FROM before), hour)`);
}
