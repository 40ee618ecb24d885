import { resolve } from 'node:path';
import { findModules } from '../loader/load-modules.ts';
import { readLockFile } from '../loader/lock-file.ts';
import { lockPath, repository } from '../loader/lock-path.ts';
import type { Command } from './command.ts';

export const moduleListCommand: Command = {
  name: 'module:list',
  usage: '[--json]',
  summary: 'list the modules in modules/ and the versions that this ring runs',
  async run({ config, table }) {
    const lock = await readLockFile(resolve(repository, lockPath(config)));
    const modules = await findModules();
    table(
      modules.map(({ manifest: { alias, version, description, compatibility, auto_install } }) => ({
        alias,
        version,
        locked: lock.modules[alias]?.version ?? null,
        platform: compatibility.platform,
        auto_install: auto_install ?? false,
        description,
      })),
      'There are no modules in modules/.',
    );
  },
};
