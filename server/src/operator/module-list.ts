import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findModules } from '../loader/load-modules.ts';
import { type LockFile, readLockFile } from '../loader/lock-file.ts';
import { lockPath, repository, ringLockFile } from '../loader/lock-path.ts';
import type { Manifest } from '../loader/manifest.ts';
import { listPackages } from '../packages/installed-packages.ts';
import { listRings } from '../tenancy/rings.ts';
import type { Command, Session } from './command.ts';

export const moduleListCommand: Command = {
  name: 'module:list',
  usage: '[--json]',
  summary: 'list the modules of the platform and the installed packages, with the rings that run them',
  async run(session) {
    const locks = await readLocks(session);
    const describe = (source: 'platform' | 'package') => (manifest: Manifest) => {
      const { alias, version, description, compatibility, auto_install = false } = manifest;
      const rings = locks.filter(({ modules }) => modules[alias]?.version === version).map(({ ring }) => ring);
      return { alias, version, source, rings, platform: compatibility.platform, auto_install, description };
    };
    const own = (await findModules()).map(({ manifest }) => manifest);
    const rows = [
      ...own.map(describe('platform')),
      ...(await listPackages(session.config.modulesPath)).map(describe('package')),
    ];
    session.table(
      rows.toSorted((one, other) => (one.alias < other.alias ? -1 : Number(one.alias > other.alias))),
      'There are no modules.',
    );
  },
};

/** The lock files of all rings; without a database, that of the ring of this process. */
async function readLocks({ config, kernel, progress }: Session): Promise<Pick<LockFile, 'ring' | 'modules'>[]> {
  const own = { ring: config.ringName, file: resolve(repository, lockPath(config)) };
  const files = await kernel({ modules: [] }).then(
    async ({ central }) =>
      (await listRings(central.db)).map((ring) => ({ ring: ring.name, file: ringLockFile(config, ring) })),
    (error: Error) => {
      progress(`Only the ring ${own.ring} is listed: ${error.message.split('\n')[0]}`);
      return [own];
    },
  );
  const present = files.filter(({ file }) => existsSync(file));
  return Promise.all(present.map(async ({ ring, file }) => ({ ring, modules: (await readLockFile(file)).modules })));
}
