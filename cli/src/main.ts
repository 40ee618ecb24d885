import { processEnvironment } from './environment.ts';
import { runProgram } from './program.ts';
import { removeTemporaryFiles } from './temporary-files.ts';

for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
  process.on(signal, () => {
    removeTemporaryFiles();
    process.exit(code);
  });
}
// No `await` here: programs with one cannot be compiled to bytecode, which halves the time to start.
void runProgram(processEnvironment(), process.argv.slice(2)).then((code) => {
  // Not `process.exit`, which would cut off what a slow reader has not read yet.
  process.exitCode = code;
});
