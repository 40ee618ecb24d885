import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.ts';

/**
 * Runs `chowkd serve` and restarts it, with a new lock file, when a file of the server, the kit or a module changes.
 * Beside it, Vite serves the console at another port and updates it in the browser when its sources change.
 */
const folders = ['server/src', 'server/migrations', 'kit/src', 'modules'];
const isSource = (path: string) => /\.(tsx?|json|sql|graphql)$/.test(path) && !/\.(test\.ts|lock\.json)$/.test(path);
const debounceMs = 100;

let server: ChildProcess | undefined;
let timer: NodeJS.Timeout | undefined;
let restarting = Promise.resolve();
let isStopping = false;

for (const folder of folders) {
  watch(join(root, folder), { recursive: true }, (_, path) => {
    if (path === null || path.includes('node_modules') || !isSource(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => queueRestart(`${join(folder, path)} changed`), debounceMs);
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
queueRestart();
const vite = spawn(join(root, 'node_modules/.bin/vite'), { cwd: join(root, 'web'), stdio: 'inherit' });

function queueRestart(reason?: string): void {
  restarting = restarting.then(() => restart(reason));
}

async function restart(reason: string | undefined): Promise<void> {
  if (isStopping) return;
  if (reason) console.error(`${reason}: restarting`);
  await stopServer();
  const { failed, output } = await run(['node', 'server/src/main.ts', 'module:lock']);
  if (failed) {
    console.error(`${output}Waiting for a change.`);
    return;
  }
  const env = { APP_ENV: 'local', ...process.env };
  server = spawn(process.execPath, ['server/src/main.ts', 'serve', '--no-build'], { cwd: root, env, stdio: 'inherit' });
  server.once('exit', (code) => code && console.error('The server has stopped. Waiting for a change.'));
}

async function stopServer(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  await exited;
}

async function stop(): Promise<void> {
  isStopping = true;
  clearTimeout(timer);
  await restarting;
  vite.kill('SIGTERM');
  await stopServer();
  process.exit();
}
