import { operatorName } from '../operator-name.ts';
import { activateRing } from '../tenancy/manage-rings.ts';
import { recordOperation } from '../tenancy/rings.ts';
import type { Command } from './command.ts';

export const ringActivateCommand: Command = {
  name: 'ring:activate',
  usage: '<ring> [--reason=<text>] [--json]',
  summary: 'allow tenants to be assigned to a ring',
  options: { reason: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table }, { positionals: [ring = ''], options }) {
    const { central } = await kernel();
    const reason = typeof options.reason === 'string' ? options.reason : undefined;
    const changed = await central.db.tx(async (tx) => {
      const isChanged = await activateRing(tx, ring);
      if (isChanged) await recordOperation(tx, { operator: operatorName(), operation: 'activate', ring, reason });
      return isChanged;
    });
    if (options.json) return table([{ ring, is_active: true, changed }], '');
    say(changed ? `Activated ${ring}.` : `${ring} is active already.`);
  },
};
