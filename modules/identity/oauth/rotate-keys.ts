import type { ModuleCommand } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';

export const rotateKeys: ModuleCommand = {
  name: 'keys:rotate',
  usage: '[--revoke] [--json]',
  summary: 'sign access tokens with a new key; --revoke invalidates the tokens of the old keys',
  options: { revoke: { type: 'boolean', default: false } },
  run: (ctx, { options }, terminal) =>
    // One at a time: two concurrent rotations would leave two current keys.
    ctx.system.runExclusively('keys:rotate', async () => {
      const { keys } = getAccounts(ctx.system);
      const before = await keys.list();
      const { kid } = await keys.rotate({ revoke: options.revoke === true });
      const trusted = new Set((await keys.list()).map((key) => key.kid));
      const old = before.map((key) => ({ kid: key.kid, state: trusted.has(key.kid) ? 'still trusted' : 'revoked' }));
      terminal.table([{ kid, state: 'signs' }, ...old], '');
    }),
};
