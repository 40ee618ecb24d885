import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Compiled code is cached, also that of the workers and of the programs that tests start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/chowkd');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

const slowest = [
  'e2e/contributing',
  'modules/identity/hostile-input',
  'server/src/main',
  'e2e/openapi',
  'modules/installation/reset-command',
  'server/src/jobs/job-queues',
  'server/src/tenancy/doctor',
  'server/src/db/embedded/join-server',
  'server/src/db/embedded/embedded-server',
  'server/src/crash',
  'server/src/http/killed-requests',
  'modules/orders/list',
  'modules/orders/export',
  'server/src/tenancy/isolation',
];

/** Starts the slowest files first, also if no durations are recorded: otherwise one worker is busy at the end, alone. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = slowest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index === -1 ? slowest.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    include: ['**/*.test.ts'],
    globalSetup: 'server/testing/global-setup.ts',
    // More than cores: tests spend much of their time waiting for PostgreSQL and for other processes.
    maxWorkers: Math.max(4, availableParallelism()),
    // A larger young generation: tests create much short-lived garbage.
    execArgv: ['--max-semi-space-size=64'],
    // Modules hold no state: test files in one worker can share them.
    isolate: false,
    // Node runs the TypeScript files directly, as in production: nothing is transformed.
    experimental: { viteModuleRunner: false },
    expect: { poll: { timeout: 15_000, interval: 20 } },
    // For tests that hang; some tests start the whole program a dozen times.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // graphql-js abandons the other items of a list when one of them is null, and may not handle their failures.
    onUnhandledError: ({ message }) => !/^Cannot return null for non-nullable field Thing\./.test(message),
    reporters: ['default'],
  },
});
