import { defineEvent, type Module, Type } from '@chowk/kit/kernel';
import type { LoadedModule } from '../src/loader/load-modules.ts';
import type { Consumed } from '../src/loader/manifest.ts';

export interface TestModule extends Module {
  readonly alias: string;
  readonly consumes?: readonly Consumed[];
  /** Events with any payload. Those about the payload's `about` are delivered in order. */
  readonly emits?: readonly string[];
  /** SQL of its only migration. */
  readonly migration?: string;
}

const anyEvent = defineEvent({
  summary: 'Something has happened',
  payload: Type.Unknown(),
  subject: (payload) => (payload as { subject?: string }).subject,
});

/** A module without a folder. Installed for every tenant. */
export function testModule({ alias, consumes, emits, migration, ...definition }: TestModule): LoadedModule {
  const text = migration ?? '';
  const events = { ...definition.events, ...Object.fromEntries((emits ?? []).map((name) => [name, anyEvent])) };
  return {
    alias,
    folder: '',
    definition: { ...definition, events },
    manifest: {
      name: alias,
      alias,
      version: '1.0.0',
      description: 'For a test.',
      compatibility: { platform: '*' },
      auto_install: true,
      api: { consumes: [...(consumes ?? [])] },
      events: { emits: Object.keys(events), listens: (definition.listeners ?? []).map(({ event }) => event) },
    },
    migrations: { owner: alias, migrations: migration ? [{ name: '0001_test.sql', text, checksum: text }] : [] },
  };
}
