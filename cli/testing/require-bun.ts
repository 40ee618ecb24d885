import { requireBun } from '../release/bun.ts';
import { hostTarget } from '../release/targets.ts';

/** Whether programs can be compiled here. Without Bun, and without a network to get it from, the tests that need it are skipped. */
export const hasBun = await requireBun(hostTarget()).then(
  () => true,
  (error) => {
    process.stderr.write(
      `Tests of compiled programs are skipped: Bun cannot be installed (${error.message.split('\n')[0]}).\n`,
    );
    return false;
  },
);
