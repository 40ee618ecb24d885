import type { Module } from '@chowk/kit';
import type { LoadedModule } from '../src/loader/load-modules.ts';
import type { Manifest } from '../src/loader/manifest.ts';

export interface TestModule extends Module {
  readonly alias: string;
  readonly provides?: readonly (Partial<NonNullable<NonNullable<Manifest['api']>['provides']>[number]> & {
    name: string;
  })[];
  readonly consumes?: readonly string[];
  readonly emits?: readonly string[];
  /** SQL of its one migration. */
  readonly migration?: string;
}

/** A module without a folder: every tenant has it, and it declares what it is given. */
export function testModule({ alias, provides, consumes, emits, migration, ...parts }: TestModule): LoadedModule {
  const names = Object.keys(parts.operations ?? {}).map((name) => ({ name }));
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
      api: {
        provides: (provides ?? names).map((one) => ({ description: one.name, ...one })),
        consumes: [...(consumes ?? [])],
      },
      events: { emits: [...(emits ?? [])], listens: (parts.listeners ?? []).map(({ event }) => event) },
    },
    migrations: { owner: alias, migrations: migration ? [{ name: '0001_test.sql', text, checksum: text }] : [] },
  };
}
