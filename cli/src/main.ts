import { processEnvironment } from './environment.ts';
import { runProgram } from './program.ts';
import { removeTemporaryFiles } from './temporary-files.ts';

for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
  process.on(signal, () => {
    removeTemporaryFiles();
    process.exit(code);
  });
}
// The reader of a pipe has gone, as in `chowk customers list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  removeTemporaryFiles();
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

// Not `process.exit`, which would cut off what a slow reader has not read yet.
process.exitCode = await runProgram(processEnvironment(), process.argv.slice(2));
