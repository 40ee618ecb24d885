import type { ModuleCommand } from '@chowk/kit';

/** `keys:rotate`. Two at once would each leave a key that signs. */
export const rotateKeys: ModuleCommand = {
  name: 'keys:rotate',
  usage: '[--revoke] [--json]',
  summary: 'sign access tokens with a new key; with --revoke the old ones are no longer good',
  options: { revoke: { type: 'boolean', default: false } },
  run: (ctx, { options }, terminal) =>
    ctx.system.oneAtATime('keys:rotate', async () => {
      const { keys } = ctx.system;
      const before = await keys.list();
      const { kid } = await keys.rotate({ revoke: options.revoke === true });
      const believed = new Set((await keys.list()).map((key) => key.kid));
      const old = before.map((key) => ({ kid: key.kid, state: believed.has(key.kid) ? 'still believed' : 'revoked' }));
      terminal.table([{ kid, state: 'signs' }, ...old], '');
    }),
};
