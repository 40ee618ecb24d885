/** A part of the proof: what it shows, and the tests that show it. */
export interface ProofPart {
  readonly name: string;
  readonly shows: string;
  /** Test files from the root of the repository. */
  readonly tests: readonly string[];
  /** Makes the tests run for longer than in `npm test`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What must hold under attack and under failure. */
export interface Promised {
  readonly about: string;
  readonly holds: string;
  readonly tests: readonly string[];
}

const accounts = 'modules/identity';

export const promises: readonly Promised[] = [
  {
    about: 'the tenant of a request',
    holds:
      'Requests, sockets, jobs and commands find the tenant in one place; a host and a header that disagree are refused; membership is ' +
      'checked; forwarded headers count from configured proxies only.',
    tests: [
      'server/src/http/bind-tenant.test.ts',
      'server/src/tenancy/labels.test.ts',
      'server/src/tenancy/own-address.test.ts',
      `${accounts}/cross-tenant.test.ts`,
    ],
  },
  {
    about: 'the context of a tenant',
    holds: 'The database of a tenant is reached through the context that a call gets, and through nothing else.',
    tests: ['server/src/tenancy/isolation.test.ts', 'server/src/context/open-transactions.test.ts'],
  },
  {
    about: 'calls between modules',
    holds: 'What a manifest does not declare is refused; the loader sets the calling module; limits count calls.',
    tests: ['server/src/actions/bus.test.ts', 'server/src/loader/loader.test.ts'],
  },
  {
    about: 'GraphQL',
    holds:
      'Hostile documents are refused before they cost anything; REST and GraphQL give one caller the same answer; the lockdown of ' +
      'operations registers none by itself.',
    tests: [
      'server/src/graphql/hostile-documents.test.ts',
      'server/src/graphql/limits.test.ts',
      'modules/graphql/limits.test.ts',
      'modules/graphql/permissions.test.ts',
      'modules/graphql/persisted.test.ts',
    ],
  },
  {
    about: 'proof of an email address',
    holds:
      'Links are signed and expire; a change needs the password; sign-in and reset stay with the last proven address; a proven old ' +
      'address can undo a change, an unproven one cannot.',
    tests: [
      `${accounts}/profile/email.test.ts`,
      `${accounts}/profile/email-change.test.ts`,
      `${accounts}/profile/email-undo.test.ts`,
      `${accounts}/profile/first-proof.test.ts`,
    ],
  },
  {
    about: 'installation',
    holds:
      'Only the holder of the install token becomes owner, once; an outage of the database is never taken for a new installation.',
    tests: [
      'modules/installation/owner.test.ts',
      'modules/installation/installed.test.ts',
      'modules/installation/actions.test.ts',
    ],
  },
  {
    about: 'uploaded documents',
    holds:
      'The type follows from the content, names are generated, sizes are limited, and a refused upload leaves nothing behind.',
    tests: [
      'modules/onboarding/documents.test.ts',
      'server/src/http/uploads.test.ts',
      'server/src/files/file-store.test.ts',
    ],
  },
  {
    about: 'creation of tenants',
    holds: 'Killed at any point, it is finished by another worker or leaves nothing.',
    tests: ['modules/onboarding/crash.test.ts', 'server/src/tenancy/tenant-databases.test.ts'],
  },
  {
    about: 'merged customers',
    holds: 'Orders and totals are kept while merges and orders meet.',
    tests: ['modules/customers/merge.test.ts', 'modules/orders/concurrency.test.ts'],
  },
  {
    about: 'realtime',
    holds: 'A socket hears its tenant and its user only; a revoked token closes it; links are relative.',
    tests: [
      'server/src/realtime/protocol.test.ts',
      'server/src/realtime/clients.test.ts',
      'server/src/realtime/notifications.test.ts',
    ],
  },
  {
    about: 'upgrade of the client',
    holds:
      'Without a valid digest and signature nothing is installed; killed at any point, the old or the new program runs.',
    tests: [
      'cli/src/upgrade/signature.test.ts',
      'cli/src/upgrade/hostile-servers.test.ts',
      'cli/src/upgrade/replace.test.ts',
      'cli/src/upgrade/released-program.test.ts',
    ],
  },
  {
    about: 'outgoing requests',
    holds: 'One client checks the address when it connects, also after redirects; tokens go to their own host only.',
    tests: ['server/src/outbound/outbound-client.test.ts', 'modules/releases/releases.test.ts'],
  },
  {
    about: 'assignment to a ring',
    holds: 'It holds from the next request on; nothing in flight fails; sockets come back.',
    tests: ['server/src/rings/rings.test.ts', 'server/src/serve-rings.test.ts'],
  },
  {
    about: 'packages of modules',
    holds:
      'A hostile package leaves nothing behind; hooks run in a process of their own; if one fails, the old version serves.',
    tests: [
      'server/src/packages/hostile-packages.test.ts',
      'server/src/operator/module-hook.test.ts',
      'server/src/operator/module-lifecycle.test.ts',
    ],
  },
  {
    about: 'caches',
    holds: 'A value that was read before a change is never kept after it.',
    tests: ['kit/src/guarded-cache.test.ts', 'server/src/tenancy/directory.test.ts'],
  },
  {
    about: 'stored secrets',
    holds:
      'They are encrypted for their tenant and field, with several keys; no process starts that could not read them.',
    tests: ['server/src/secrets.test.ts', 'server/src/operator/keys-reencrypt.test.ts'],
  },
  {
    about: 'tokens',
    holds: 'Only RS256 with a known key; a refresh token that is used twice ends its family.',
    tests: [
      `${accounts}/sign-in/forged-tokens.test.ts`,
      `${accounts}/oauth/oauth-token.test.ts`,
      `${accounts}/oauth/rotate-keys.test.ts`,
    ],
  },
  {
    about: 'input that reaches a query, a mail or a spreadsheet',
    holds:
      'Sort fields and filters are listed; hidden fields cannot be guessed by sorting or searching; nothing is interpreted.',
    tests: [
      'kit/src/list.test.ts',
      'kit/src/csv.test.ts',
      'modules/notifications/rules/templates.test.ts',
      `${accounts}/hostile-input.test.ts`,
    ],
  },
  {
    about: 'outages of PostgreSQL',
    holds: 'Connections and statements have time limits; waiting is fair; a restart loses no acknowledged write.',
    tests: [
      'server/src/db/connection.test.ts',
      'server/src/db/budget.test.ts',
      'server/src/db/budget-model.test.ts',
      'server/src/crash.test.ts',
    ],
  },
  {
    about: 'events',
    holds:
      'They are stored with the change and delivered to each listener at least once, in order; a failing one repeats no other.',
    tests: ['server/src/events/event-hub.test.ts', 'server/src/events/delivery-worker.test.ts'],
  },
  {
    about: 'stops',
    holds: 'A stop finishes the requests in flight and hands jobs back.',
    tests: ['server/src/http/graceful-stop.test.ts', 'server/src/serve.test.ts'],
  },
  {
    about: 'sign-in under load',
    holds: 'Guesses from one address do not keep others out; the time of an answer tells nothing.',
    tests: [`${accounts}/sign-in/sign-in-limits.test.ts`, `${accounts}/sign-in/sign-in-timing.test.ts`],
  },
  {
    about: 'access that a person delegates',
    holds: 'An API client or token has at most the current rights of its maker, and making one needs the password.',
    tests: [
      `${accounts}/oauth/api-client-makers.test.ts`,
      `${accounts}/profile/personal-tokens.test.ts`,
      `${accounts}/permissions-in-use.test.ts`,
    ],
  },
  {
    about: 'limits of requests',
    holds: 'The limit of a network is checked before anything is looked up.',
    tests: ['server/src/http/rate-limit.test.ts'],
  },
  {
    about: 'jobs and events of rings',
    holds:
      'A process of the ring of the tenant does them, or they wait. What a process does not know is never completed.',
    tests: ['server/src/jobs/rings.test.ts', 'server/src/jobs/versions.test.ts'],
  },
  {
    about: 'work that must not be lost or done twice',
    holds:
      'Jobs and mails are stored with the change that causes them; a request with a key runs once, also after a kill.',
    tests: [
      'server/src/crash.test.ts',
      'server/src/http/idempotency.test.ts',
      'server/src/http/killed-requests.test.ts',
      'modules/mailbox/crash.test.ts',
    ],
  },
  {
    about: 'small requests that are expensive',
    holds: 'Sizes and costs are checked before the work; pictures are decoded in a limited process.',
    tests: [
      'server/src/limited-process.test.ts',
      'modules/products/images.test.ts',
      'server/src/graphql/introspection-results.test.ts',
    ],
  },
  {
    about: 'rules, webhooks and subscriptions',
    holds:
      'Whoever listens needs the permission of the event, and that for sensitive fields, when saving and when sending.',
    tests: [
      'modules/notifications/rules/rule-access.test.ts',
      'modules/webhooks/webhooks.test.ts',
      'server/src/graphql/subscriptions.test.ts',
      'server/src/privacy/personal-data.test.ts',
    ],
  },
  {
    about: 'keys',
    holds: 'Keys and passwords change without an interruption; old secrets stay readable.',
    tests: [
      'server/src/operator/keys-reencrypt.test.ts',
      `${accounts}/oauth/rotate-keys.test.ts`,
      'server/src/tenancy/second-login.test.ts',
    ],
  },
  {
    about: 'busy tenants',
    holds: 'A tenant that sends, fails or hangs delays its own work and hardly that of others.',
    tests: [
      'modules/webhooks/hanging-endpoint.test.ts',
      'server/src/tenancy/plans.test.ts',
      'server/src/db/budget.test.ts',
      'server/src/jobs/job-queues.test.ts',
    ],
  },
  {
    about: 'followers of changes',
    holds: 'They see every change once, in the order of the commits; an ETag covers the whole body.',
    tests: [
      'e2e/followers.test.ts',
      'server/src/events/event-feed.test.ts',
      `${accounts}/follow-changes.test.ts`,
      'server/src/http/etag.test.ts',
    ],
  },
];

export const parts: readonly ProofPart[] = [
  {
    name: 'graphql',
    shows:
      'GraphQL over HTTP and its subscriptions pass the audits of their specifications and work with unmodified clients.',
    tests: [
      'modules/graphql/audit.test.ts',
      'server/src/graphql/subscription-protocol.test.ts',
      'e2e/persisted-clients.test.ts',
    ],
  },
  {
    name: 'oauth',
    shows: 'The flows of OAuth work with unmodified clients.',
    tests: [`${accounts}/oauth/oauth-interop.test.ts`, 'modules/mcp/oauth.test.ts'],
  },
  {
    name: 'pusher',
    shows: 'pusher-js and laravel-echo work in a browser.',
    tests: ['server/src/realtime/browser.test.ts'],
  },
  {
    name: 'malformed',
    shows: '10,000 malformed requests to each endpoint: all are refused, and nothing is written.',
    tests: [`${accounts}/malformed.test.ts`],
    environment: { MALFORMED_REQUESTS: '10000' },
  },
  {
    name: 'random',
    shows: '300 random requests to each endpoint and operation, half of them valid, cause no internal error.',
    tests: [`${accounts}/fuzz.test.ts`],
    environment: { FUZZ_ROUNDS: '300' },
  },
  {
    name: 'tenants',
    shows: '100,000 attempts of a member of one tenant to read or change another one: nothing is answered or changed.',
    tests: [`${accounts}/cross-tenant.test.ts`],
    environment: { TENANT_PROBES: '100000' },
  },
  {
    name: 'permissions',
    shows: 'Each endpoint answers each role as its declaration says, over REST and GraphQL.',
    tests: [`${accounts}/permission-matrix.test.ts`, 'modules/graphql/permissions.test.ts'],
  },
  {
    name: 'followers',
    shows: 'In ten runs, with eight writers, merges, erasures and kills, followers of changes miss nothing.',
    tests: ['e2e/followers.test.ts'],
    environment: { FOLLOWER_RUNS: '10' },
  },
  {
    name: 'promises',
    shows: 'The tests of everything that must hold under attack and under failure, listed below.',
    tests: [...new Set(promises.flatMap(({ tests }) => tests))],
  },
];
