import { operatorName } from '../operator-name.ts';
import { deactivateRing } from '../tenancy/manage-rings.ts';
import { recordOperation } from '../tenancy/rings.ts';
import type { Command } from './command.ts';

export const ringDeactivateCommand: Command = {
  name: 'ring:deactivate',
  usage: '<ring> [--reason=<text>] [--json]',
  summary: 'allow no more tenants on a ring, which must have none',
  options: { reason: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table }, { positionals: [ring = ''], options }) {
    const { central } = await kernel();
    const reason = typeof options.reason === 'string' ? options.reason : undefined;
    const changed = await central.db.tx(async (tx) => {
      const isChanged = await deactivateRing(tx, ring);
      if (isChanged) await recordOperation(tx, { operator: operatorName(), operation: 'deactivate', ring, reason });
      return isChanged;
    });
    if (options.json) return table([{ ring, is_active: false, changed }], '');
    say(changed ? `Deactivated ${ring}.` : `${ring} is not active already.`);
  },
};
