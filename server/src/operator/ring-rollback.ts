import { operatorName } from '../operator-name.ts';
import { rollbackRing } from '../promotion/rollback-ring.ts';
import type { Command } from './command.ts';
import { nextSteps } from './ring-promote.ts';

export const ringRollbackCommand: Command = {
  name: 'ring:rollback',
  usage: '<ring> [--force] [--reason=<text>] [--json]',
  summary: 'restore the lock file of a ring as it was before its latest change; repeated, the one before that',
  options: { force: { type: 'boolean' }, reason: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table }, { positionals: [ring = ''], options }) {
    const result = await rollbackRing(await kernel(), ring, {
      operator: operatorName(),
      reason: typeof options.reason === 'string' ? options.reason : undefined,
      force: Boolean(options.force),
    });
    if (options.json) return table([result], '');
    table(result.modules, 'No version changes.');
    say(`Undid ${result.undone} in ${result.file}. ${nextSteps(ring, [])}`);
  },
};
