import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { node, repository } from './stage.ts';

/* Every measurement, or those that are named, one after the other: two at once would measure each other. */

const all = [
  'start',
  'memory',
  'tenant-creation',
  'many-tenants',
  'pipeline',
  'accounts',
  'products',
  'customers',
  'bus',
  'events',
  'jobs',
];
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !all.includes(name));
if (unknown) {
  console.error(`there is no measurement ${unknown}; there are ${all.join(', ')}`);
  process.exit(2);
}

const stopping = new AbortController();
for (const name of wanted.length > 0 ? wanted : all) {
  if (stopping.signal.aborted) break;
  const child = spawn(node, [join(repository, `bench/${name}.ts`)], { stdio: 'inherit' });
  // Each measurement clears up after itself; we only wait for it.
  const pass = (signal: NodeJS.Signals) => {
    stopping.abort();
    child.kill(signal);
  };
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const [code] = await once(child, 'exit');
  process.off('SIGINT', pass).off('SIGTERM', pass);
  if (code !== 0) process.exitCode = 1;
}
