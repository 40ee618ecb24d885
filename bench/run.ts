import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { node, repository } from './stage.ts';

/* Runs all benchmarks, or those named as arguments, one at a time so that they do not disturb each other. */

const all = [
  'start',
  'memory',
  'tenant-creation',
  'provisioning',
  'tenant-move',
  'many-tenants',
  'scale',
  'fleet',
  'noisy-tenant',
  'pipeline',
  'accounts',
  'products',
  'graphql',
  'customers',
  'orders',
  'bulk',
  'reports',
  'bus',
  'events',
  'jobs',
  'realtime',
  'console',
  'ring-tasks',
  'rings',
  'cli',
];
const requested = process.argv.slice(2);
const unknown = requested.find((name) => !all.includes(name));
if (unknown) {
  console.error(`unknown benchmark ${unknown}; choose from ${all.join(', ')}`);
  process.exit(2);
}

const stopping = new AbortController();
for (const name of requested.length > 0 ? requested : all) {
  if (stopping.signal.aborted) break;
  const child = spawn(node, [join(repository, `bench/${name}.ts`)], { stdio: 'inherit' });
  // Each benchmark cleans up after itself: forward the signal and wait.
  const forward = (signal: NodeJS.Signals) => {
    stopping.abort();
    child.kill(signal);
  };
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const [code] = await once(child, 'exit');
  process.off('SIGINT', forward).off('SIGTERM', forward);
  if (code !== 0) process.exitCode = 1;
}
