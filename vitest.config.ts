import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Compiled code is cached, also that of the workers and of the programs that tests start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/chowkd');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

export default defineConfig({
  test: {
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
    reporters: ['default'],
  },
});
