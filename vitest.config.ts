import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    globalSetup: 'server/testing/global-setup.ts',
    // Tests wait for PostgreSQL and for time to pass more than they compute.
    maxWorkers: Math.max(4, availableParallelism()),
    // A file's state lives in its platform and its databases, not in modules.
    isolate: false,
    // Node runs the TypeScript as it is, as in production.
    experimental: { viteModuleRunner: false },
    expect: { poll: { timeout: 15_000, interval: 20 } },
    // Against what hangs, not against what is slow: some tests start the whole program a dozen times.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
