import { existsSync } from 'node:fs';
import { readLockFile, writeLockFile } from '../loader/lock-file.ts';
import { ringLockFile, ringLockPath } from '../loader/lock-path.ts';
import { readRingLock } from '../loader/ring-lock.ts';
import { operatorName } from '../operator-name.ts';
import { insertRing } from '../tenancy/manage-rings.ts';
import { recordOperation, requireRing } from '../tenancy/rings.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';

export const ringCreateCommand: Command = {
  name: 'ring:create',
  usage:
    '<name> [--display-name=<text>] [--description=<text>] [--order=<number>] [--hostname-segment=<label>] [--from=<ring>] [--manifest-path=<file>] [--k8s-namespace=<name>] [--k8s-service=<host>] [--reason=<text>] [--json]',
  summary: 'create a ring with a copy of the lock file of another one, of stable unless --from names it',
  options: {
    'display-name': { type: 'string' },
    description: { type: 'string' },
    order: { type: 'string' },
    'hostname-segment': { type: 'string' },
    from: { type: 'string' },
    'manifest-path': { type: 'string' },
    'k8s-namespace': { type: 'string' },
    'k8s-service': { type: 'string' },
    reason: { type: 'string' },
  },
  positionals: { min: 1, max: 1 },
  async run({ config, kernel, say, table }, { positionals: [name = ''], options }) {
    const ring = readRing(name, options);
    const { central } = await kernel();
    const source = await requireRing(central.db, text(options.from) ?? 'stable');
    const file = ringLockFile(config, ring);
    const isCopied = await central.db.tx(async (tx) => {
      await insertRing(tx, ring);
      await recordOperation(tx, {
        operator: operatorName(),
        operation: 'create',
        ring: name,
        reason: text(options.reason),
        details: { from: source.name, manifest_path: ring.manifest_path },
      });
      if (existsSync(file)) return await keepLockFile(file, name);
      const { lock } = await readRingLock(config, source);
      await writeLockFile(file, { ...lock, ring: name, generated_at: new Date().toISOString() });
      return true;
    });
    const { id: _, ...created } = await requireRing(central.db, name);
    if (options.json) return table([{ ...created, lock_file: file }], '');
    const origin = isCopied ? `a copy of that of ${source.name}` : 'which was there already';
    say(`Created the ring ${name}. Its lock file is ${file}, ${origin}.`);
  },
};

/** A lock file that the repository has for the ring is used as it is. */
async function keepLockFile(file: string, name: string): Promise<false> {
  const { ring } = await readLockFile(file);
  if (ring === name) return false;
  throw new Error(`${file} is the lock file of the ring ${ring}; set another --manifest-path`);
}

function readRing(name: string, options: CommandInput['options']) {
  const order = options.order === undefined ? undefined : Number(options.order);
  if (order !== undefined && !(Number.isInteger(order) && order >= 0 && order <= 1_000_000)) {
    throw new UsageError('--order must be an integer from 0; 0 is the most conservative ring');
  }
  const namespace = text(options['k8s-namespace']) ?? `chowk-${name}`;
  return {
    name,
    display_name: text(options['display-name']) ?? name.charAt(0).toUpperCase() + name.slice(1),
    description: text(options.description) ?? '',
    promotion_order: order,
    hostname_segment: text(options['hostname-segment']) ?? name,
    manifest_path: text(options['manifest-path']) ?? ringLockPath(name),
    k8s_namespace: namespace,
    k8s_service: text(options['k8s-service']) ?? `web.${namespace}.svc.cluster.local`,
  };
}

function text(value: CommandInput['options'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
