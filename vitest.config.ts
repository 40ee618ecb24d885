import { glob } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join, matchesGlob, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { startsProcesses } from './scripts/quick-tests.ts';

// Compiled code is cached, also that of the workers and of the programs that tests start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/chowkd');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/** Test files that take longest, slowest first. `npm test -- quick` leaves them out, and all that start other processes. */
const slow = [
  'server/src/operator/{module-hook,module-install,module-lifecycle}',
  'e2e/{*,deploy/image}',
  'cli/src/upgrade/{released-program,replace,hostile-servers}',
  'cli/release/release',
  'server/src/tenancy/{move-tenant,archive,archive-crash,archive-hostile,doctor,isolation,servers}',
  'cli/src/program',
  'web/src/pages/account/profile',
  'web/src/shell/{shell,navigation}',
  'web/src/pages/customers/{customer,customers,customers-performance}',
  'web/src/pages/{orders/orders,orders/order-page,orders/merchant-day,products/products,conversations/conversations,notifications/notifications}',
  'web/src/pages/{home/home,entry/entry,install/install-page,onboarding/onboarding}',
  'modules/graphql/playground/browser',
  'modules/onboarding/crash',
  'modules/mailbox/imap/imap',
  'server/src/{main,crash,serve,serve-rings,rings/rings}',
  'modules/installation/{reset-command,owner}',
  'modules/identity/{hostile-input,fuzz}',
  'modules/identity/sign-in/sign-in-timing',
  'server/src/jobs/job-queues',
  'server/src/http/{uploads,killed-requests,graceful-stop}',
  'server/src/db/embedded/*',
  'server/src/db/{copy,copy-out,server,stream,statement-names}',
  'server/src/operator/*',
  'server/src/packages/pack-module',
  'server/src/graphql/hostile-documents',
  'modules/orders/{list,export,statistics}',
  'modules/products/{csv,images,list}',
  'modules/graphql/{diff,permissions}',
  'modules/customers/{demo,list,segments,merge,addresses}',
  'modules/{mcp/mcp,conversations/list,webhooks/webhooks,onboarding/applications}',
  'modules/{graphql/persisted,installation/actions,orders/concurrency,products/stock}',
  'modules/notifications/{rules/apply-rules,messages/messages,devices/push,preferences/preferences,concurrency}',
  'modules/identity/{profile/email-change,team/grants,team/team,team/invitations,oauth/rotate-keys,oauth/oauth-interop}',
  'server/src/{db/budget,redis/redis,events/delivery-worker,jobs/rings,config/config,realtime/browser}',
  'server/src/graphql/{subscriptions,subscription-protocol}',
  'kit/src/list',
].map((name) => `${name}.test.ts`);
const isQuick = process.env.CHOWK_TESTS === 'quick';

async function startingProcesses(): Promise<string[]> {
  const files = await Array.fromAsync(glob('**/*.test.ts', { exclude: ['**/node_modules/**'] }));
  return files.filter((file) => startsProcesses(file));
}

/** Starts the slowest files first, also if no durations are recorded: otherwise one worker is busy at the end, alone. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = slow.findIndex((pattern) => matchesGlob(relative(import.meta.dirname, moduleId), pattern));
      return index === -1 ? slow.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(isQuick ? [...slow, ...(await startingProcesses())] : [])],
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
