import { readRingLock } from '../loader/ring-lock.ts';
import { listRingTenants, requireRing } from '../tenancy/rings.ts';
import type { Command } from './command.ts';

export const ringShowCommand: Command = {
  name: 'ring:show',
  usage: '<ring> [--tenants] [--modules] [--json]',
  summary: 'show a ring, and with the options its tenants and the versions of its modules',
  options: { tenants: { type: 'boolean' }, modules: { type: 'boolean' } },
  positionals: { min: 1, max: 1 },
  async run({ config, kernel, say, table }, { positionals: [name = ''], options }) {
    const { central } = await kernel();
    const { id, tenants: tenant_count, ...ring } = await requireRing(central.db, name);
    const fields = { ...ring, tenant_count, lock_file: null as string | null };
    const parts: { tenants?: object[]; modules?: object[] } = {};
    if (options.tenants) parts.tenants = await listRingTenants(central.db, { id });
    if (options.modules) {
      const { file, lock } = await readRingLock(config, ring);
      fields.lock_file = file;
      parts.modules = Object.entries(lock.modules).map(([alias, locked]) => ({ alias, ...locked }));
    }
    if (options.json) return table([{ ...fields, ...parts }], '');
    table(
      Object.entries(fields)
        .filter(([, value]) => value !== null)
        .map(([field, value]) => ({ field, value })),
      '',
    );
    for (const [part, rows] of Object.entries(parts)) {
      say('');
      table(rows, `There are no ${part} on ${name}.`);
    }
  },
};
