import { operatorName } from '../operator-name.ts';
import { setDefaultRing } from '../tenancy/manage-rings.ts';
import { recordOperation } from '../tenancy/rings.ts';
import type { Command } from './command.ts';

export const ringDefaultCommand: Command = {
  name: 'ring:default',
  usage: '<ring> [--reason=<text>] [--json]',
  summary: 'make a ring the one of new tenants; existing tenants stay where they are',
  options: { reason: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table }, { positionals: [ring = ''], options }) {
    const { central } = await kernel();
    const reason = typeof options.reason === 'string' ? options.reason : undefined;
    const before = await central.db.tx(async (tx) => {
      const from = await setDefaultRing(tx, ring);
      const operation = {
        operator: operatorName(),
        operation: 'default',
        ring,
        from_value: from,
        to_value: ring,
        reason,
      };
      if (from !== ring) await recordOperation(tx, operation);
      return from;
    });
    if (options.json) return table([{ ring, before, changed: before !== ring }], '');
    say(
      before === ring
        ? `${ring} is the default ring already.`
        : `New tenants get the ring ${ring}, no longer ${before}.`,
    );
  },
};
