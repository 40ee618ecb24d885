/* Which files may import which. Paths are from the root; tests may import what they test and what it needs. */

export interface ImportRule {
  readonly name: string;
  readonly from: RegExp;
  readonly notFrom?: RegExp;
  readonly to: RegExp;
  /** The folder whose files may be imported all the same. */
  readonly exceptWithin?: (from: string) => string;
}

const test = /\.test\.ts$/;

/** A kernel folder may import only the folders below it in this list, the leaves and the kit. */
export const floors: readonly string[][] = [
  ['main.ts'],
  ['serve.ts'],
  ['serve-platform.ts', 'serve-rings.ts'],
  ['boot.ts'],
  ['http/', 'smtp/'],
  ['operator/'],
  ['metrics/'],
  ['backup/'],
  ['promotion/'],
  ['graphql/'],
  ['gateway/'],
  ['demo/'],
  ['kernel.ts', 'context/', 'system-services.ts'],
  ['rings/'],
  ['privacy/'],
  ['packages/'],
  ['loader/'],
  ['actions/'],
  ['events/'],
  ['files/'],
  ['mail/'],
  ['jobs/'],
  ['realtime/'],
  ['pubsub/'],
  ['tenancy/'],
  ['redis/'],
  ['push/'],
  ['outbound/'],
  ['db/'],
  ['schemas/'],
];

/** The files of the kernel that are in none of the floors, such as `errors.ts` and `config/`. */
const named = floors.flat().filter((entry) => entry.endsWith('.ts'));
const leaf = new RegExp(`^server/src/(config/|(?!(${named.join('|')})$)[a-z-]+\\.ts$)`);

function inFloors(entries: readonly string[]): RegExp {
  return new RegExp(`^server/src/(${entries.join('|')})`);
}

export const importRules: readonly ImportRule[] = [
  ...floors.slice(1).map((floor, above) => ({
    name: `${floor.join(' and ')} may import only what is below`,
    from: inFloors(floor),
    notFrom: test,
    to: inFloors(floors.slice(0, above + 1).flat()),
  })),
  {
    name: 'the leaves of the kernel import only leaves',
    from: leaf,
    notFrom: test,
    to: inFloors(floors.flat()),
  },
  {
    name: 'the kernel imports no module',
    from: /^server\/src\//,
    to: /^modules\//,
  },
  {
    name: 'only tests use the test harness',
    from: /^(server\/src|kit|modules|client)\//,
    notFrom: test,
    to: /^server\/testing\//,
  },
  {
    name: 'the kit stands alone',
    from: /^kit\//,
    notFrom: test,
    to: /^(server|modules|client|web|cli|bench|e2e|scripts)\//,
  },
  {
    name: 'the client stands alone',
    from: /^client\//,
    notFrom: test,
    to: /^(server|kit|modules|web|cli|bench|e2e|scripts)\//,
  },
  {
    name: 'a module imports the kit and itself',
    from: /^modules\//,
    notFrom: test,
    to: /^(server|modules|client|web|cli|bench|e2e|scripts)\//,
    exceptWithin: (from) => /^modules\/[^/]+\//.exec(from)?.[0] as string,
  },
  {
    name: 'a module imports the public part of the kit',
    from: /^modules\//,
    notFrom: test,
    to: /^kit\/(?!src\/(kit|catalogue|console)\.ts$)/,
  },
  {
    name: 'web and cli import the client',
    from: /^(web|cli)\//,
    notFrom: /\.test\.ts$|(^|\/)testing\//,
    to: /^(server|kit|modules|bench|e2e|scripts)\//,
  },
  {
    name: 'only the router imports pages',
    from: /^web\/src\/(?!pages\/)[a-z]+\//,
    notFrom: test,
    to: /^web\/src\/pages\//,
  },
  {
    name: 'only pages and the router import the shell',
    from: /^web\/src\/(?!(pages|shell)\/)[a-z]+\//,
    notFrom: test,
    to: /^web\/src\/shell\//,
  },
  {
    // bench/server is the exception: a process that runs the kernel with the modules and actions of the benchmarks.
    name: 'e2e and bench import no server code',
    from: /^(e2e|bench)\//,
    notFrom: /^bench\/server\//,
    to: /^(server|modules)\//,
  },
];

/**
 * What `npm start` needs without development dependencies. Two files need the bundler and say so if it is not
 * installed; components of modules have the React of the console.
 */
export const runsWithoutDevelopment = {
  from: /^(kit|client|server|modules)\//,
  notFrom:
    /\.test\.ts$|(^|\/)testing\/|^server\/src\/(packages\/bundle-module|loader\/bundle-console)\.ts$|^modules\/[^/]+\/console\//,
};
