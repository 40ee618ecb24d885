import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './run.ts';

/** `npm test` runs all tests, `npm test -- quick` all but the slow ones (see vitest.config.ts). */
const args = process.argv.slice(2);
const isQuick = args[0] === 'quick';
if (isQuick) process.env.CHOWK_TESTS = 'quick';

// Ctrl-C also reaches Vitest, which stops PostgreSQL before it ends.
process.on('SIGINT', () => {});
const vitest = spawn(join(root, 'node_modules/.bin/vitest'), ['run', ...args.slice(isQuick ? 1 : 0)], {
  stdio: 'inherit',
});
vitest.on('close', (code) => {
  process.exitCode = code ?? 1;
});
