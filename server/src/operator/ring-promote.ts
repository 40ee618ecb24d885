import { aliasPattern, versionPattern } from '../loader/manifest.ts';
import { operatorName } from '../operator-name.ts';
import { type PromotionReport, type PromotionRequest, planPromotion } from '../promotion/plan-promotion.ts';
import { promote } from '../promotion/promote.ts';
import { Refusal } from '../promotion/refusal.ts';
import { readDuration } from '../promotion/soak.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';

export const ringPromoteCommand: Command = {
  name: 'ring:promote',
  usage:
    '<alias> --to=<ring> (--from=<ring> | --with-version=<version>) [--soak=<30m, 48h, 7d>] [--dry-run] [--force] [--reason=<text>] [--json]',
  summary: 'write another version of a module into the lock file of a ring, unless it would break something there',
  options: {
    to: { type: 'string' },
    from: { type: 'string' },
    'with-version': { type: 'string' },
    soak: { type: 'string' },
    'dry-run': { type: 'boolean' },
    force: { type: 'boolean' },
    reason: { type: 'string' },
  },
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, say, table }, { positionals: [alias = ''], options }) {
    const request = readRequest(alias, options);
    const kernel = await open();
    const plan = await planPromotion(kernel, request);
    const { report, file } = plan;
    if (!report) {
      if (options.json) return table([{ alias, ring: request.to, changed: false }], '');
      return say(`${request.to} has this version of ${alias} already.`);
    }
    const { ring, from_version, to_version, refusals } = report;
    const isChanged = !options['dry-run'] && (refusals.length === 0 || Boolean(options.force));
    // Before the change, so that the report is there if it fails.
    if (options.json) table([{ ...report, changed: isChanged }], '');
    else {
      say(`${alias} on ${ring}: ${from_version ?? 'not there'} → ${to_version}`);
      table(reportRows(report), 'Nothing changes for clients and other modules.');
    }
    if (refusals.length > 0 && !options.force) {
      throw new Refusal(
        `${alias} ${to_version} ${options['dry-run'] ? 'would not be' : 'was not'} promoted to ${ring}`,
        refusals,
      );
    }
    if (options['dry-run']) return;
    const reason = typeof options.reason === 'string' ? options.reason : undefined;
    await promote(kernel, plan, { operator: operatorName(), reason, force: Boolean(options.force) });
    if (!options.json) say(`Promoted in ${file}. ${nextSteps(ring, report.migrations)}`);
  },
};

/** What the operator runs after a lock file has changed. */
export function nextSteps(ring: string, migrations: readonly string[]): string {
  const migrate = migrations.length > 0 ? `Run 'RING_NAME=${ring} chowkd migrate', then ` : 'Run ';
  return `${migrate}'chowkd ring:reload ${ring}' or restart its processes.`;
}

function readRequest(alias: string, options: CommandInput['options']): PromotionRequest {
  const { to, from, soak, 'with-version': version } = options;
  if (typeof to !== 'string') throw new UsageError('--to must name a ring');
  if ((typeof from === 'string') === (typeof version === 'string')) {
    throw new UsageError('give either --from or --with-version');
  }
  if (!new RegExp(aliasPattern).test(alias)) throw new UsageError(`${alias} is not the alias of a module`);
  if (typeof version === 'string' && !new RegExp(versionPattern).test(version)) {
    throw new UsageError(`--with-version must be a version such as 1.2.0, not ${version}`);
  }
  if (from === to) throw new UsageError('--from and --to must be different rings');
  return {
    alias,
    to,
    from: typeof from === 'string' ? from : undefined,
    version: typeof version === 'string' ? version : undefined,
    soakMs: soak === undefined ? undefined : readSoak(String(soak), from),
  };
}

function readSoak(text: string, from: unknown): number {
  const duration = readDuration(text);
  if (duration === undefined) throw new UsageError('--soak must be a duration such as 30m, 48h or 7d, at most 90d');
  if (from === undefined) throw new UsageError('--soak needs --from, the ring that the version has served');
  return duration;
}

interface ReportRow {
  readonly part: string;
  readonly change: string;
  readonly name: string;
  readonly detail: string | null;
}

/** One row for each change. */
function reportRows(report: PromotionReport): ReportRow[] {
  const { operations, permissions, settings, events, migrations, graphql, refusals } = report;
  const parts = { operation: operations, permission: permissions, setting: settings, event: events };
  return [
    ...migrations.map((name) => ({ part: 'migration', change: 'gained', name, detail: null })),
    ...Object.entries(parts).flatMap(([part, { gained, changed, lost }]) => [
      ...gained.map((name) => ({ part, change: 'gained', name, detail: null })),
      ...changed.map(({ name, problem }) => ({ part, change: 'changed', name, detail: problem ?? 'compatible' })),
      ...lost.map((name) => ({ part, change: 'lost', name, detail: null })),
    ]),
    ...graphql.map(({ severity, kind, description }) => ({
      part: 'graphql',
      change: severity,
      name: kind.toLowerCase(),
      detail: description,
    })),
    ...refusals.map((problem) => ({ part: 'refusal', change: '', name: '', detail: problem })),
  ];
}
