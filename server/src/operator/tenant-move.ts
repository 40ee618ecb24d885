import { moveTenant } from '../tenancy/move-tenant.ts';
import { requireTenantId } from '../tenancy/tenants.ts';
import { type Command, UsageError } from './command.ts';

export const tenantMoveCommand: Command = {
  name: 'tenant:move',
  usage: '<id or domain> --to=<server> [--offline] [--keep] [--grace=<seconds>] [--json]',
  summary: 'move a tenant to another database server, with a pause of seconds',
  options: {
    to: { type: 'string' },
    offline: { type: 'boolean' },
    keep: { type: 'boolean' },
    grace: { type: 'string', default: '5' },
  },
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table, progress }, { positionals: [label = ''], options }) {
    if (typeof options.to !== 'string') throw new UsageError('--to must name a database server');
    const grace = Number(options.grace);
    if (!(grace >= 0 && grace <= 600)) throw new UsageError('--grace must be a number of seconds from 0 to 600');
    const { central, databases } = await kernel();
    const id = await requireTenantId(central.db, label);
    const result = await moveTenant(central, databases, id, {
      to: options.to,
      isOffline: Boolean(options.offline),
      keep: Boolean(options.keep),
      graceMs: grace * 1_000,
      onProgress: progress,
    });
    if (options.json) return table([{ tenant: id, ...result }], '');
    const paused = result.pausedMs === undefined ? '' : `; it was paused for ${(result.pausedMs / 1_000).toFixed(1)} s`;
    say(`Moved ${id} from ${result.from} to ${result.to}${paused}.`);
    if (result.kept) say(`The old database is kept as ${result.kept} on ${result.from}, read-only.`);
  },
};
