import type { Module } from '@chowk/kit';
import type { LoadedModule } from '../src/loader/load-modules.ts';
import type { Consumed } from '../src/loader/manifest.ts';

export interface TestModule extends Module {
  readonly alias: string;
  readonly consumes?: readonly Consumed[];
  readonly emits?: readonly string[];
  /** SQL of its only migration. */
  readonly migration?: string;
}

/** A module without a folder. Installed for every tenant. */
export function testModule({ alias, consumes, emits, migration, ...parts }: TestModule): LoadedModule {
  const text = migration ?? '';
  return {
    alias,
    folder: '',
    parts,
    manifest: {
      name: alias,
      alias,
      version: '1.0.0',
      description: 'For a test.',
      compatibility: { platform: '*' },
      auto_install: true,
      api: { consumes: [...(consumes ?? [])] },
      events: { emits: [...(emits ?? [])], listens: (parts.listeners ?? []).map(({ event }) => event) },
    },
    migrations: { owner: alias, migrations: migration ? [{ name: '0001_test.sql', text, checksum: text }] : [] },
  };
}
