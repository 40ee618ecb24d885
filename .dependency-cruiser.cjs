/** The import rules. A kernel folder may import only the folders below it in this list, the leaves and the kit. */
const floors = [
  ['main.ts'],
  ['serve.ts'],
  ['serve-platform.ts', 'serve-rings.ts'],
  ['boot.ts'],
  ['http/', 'smtp/'],
  ['operator/'],
  ['metrics/'],
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

const pattern = (entries) => `^server/src/(${entries.map((entry) => entry.replace('.', '\\.')).join('|')})`;
const named = floors
  .flat()
  .filter((entry) => entry.endsWith('.ts'))
  .map((entry) => entry.replace('.', '\\.'));
const leaf = `^server/src/(config/|(?!(${named.join('|')})$)[a-z-]+\\.ts$)`;

const notUpward = floors.slice(1).map((floor, index) => ({
  name: `${floor.join(' and ')} import downward only`.replaceAll('/', '').replaceAll(' ', '-'),
  severity: 'error',
  from: { path: pattern(floor), pathNot: '\\.test\\.ts$' },
  to: { path: pattern(floors.slice(0, index + 1).flat()) },
}));

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: { pathNot: '^bench/graphql-peers/' },
      to: { couldNotResolve: true },
    },
    ...notUpward,
    {
      name: 'leaves-import-leaves',
      severity: 'error',
      from: { path: leaf, pathNot: '\\.test\\.ts$' },
      to: { path: pattern(floors.flat()) },
    },
    {
      name: 'the-kernel-imports-no-module',
      severity: 'error',
      from: { path: '^server/src/' },
      to: { path: '^modules/' },
    },
    {
      name: 'only-tests-use-the-test-harness',
      severity: 'error',
      from: { path: '^(server/src|kit|modules|client)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^server/testing/' },
    },
    {
      name: 'the-kit-stands-alone',
      severity: 'error',
      from: { path: '^kit/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(server|modules|client|web|cli|bench|e2e|scripts)/' },
    },
    {
      name: 'the-client-stands-alone',
      severity: 'error',
      from: { path: '^client/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(server|kit|modules|web|cli|bench|e2e|scripts)/' },
    },
    {
      name: 'a-module-imports-the-kit-and-itself',
      severity: 'error',
      from: { path: '^modules/([^/]+)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(server|modules|client|web|cli|bench|e2e|scripts)/', pathNot: '^modules/$1/' },
    },
    {
      name: 'a-module-imports-the-public-part-of-the-kit',
      severity: 'error',
      from: { path: '^modules/', pathNot: '\\.test\\.ts$' },
      to: { path: '^kit/', pathNot: '^kit/src/(kit|catalogue|console)\\.ts$' },
    },
    {
      name: 'web-and-cli-import-the-client',
      severity: 'error',
      from: { path: '^(web|cli)/', pathNot: '\\.test\\.ts$|(^|/)testing/' },
      to: { path: '^(server|kit|modules|bench|e2e|scripts)/' },
    },
    {
      name: 'only-the-router-imports-pages',
      severity: 'error',
      from: { path: '^web/src/[a-z]+/', pathNot: '^web/src/pages/|\\.test\\.ts$' },
      to: { path: '^web/src/pages/' },
    },
    {
      name: 'only-pages-and-the-router-import-the-shell',
      severity: 'error',
      from: { path: '^web/src/[a-z]+/', pathNot: '^web/src/(pages|shell)/|\\.test\\.ts$' },
      to: { path: '^web/src/shell/' },
    },
    {
      // What `npm install --omit=dev` leaves out.
      name: 'what-runs-imports-no-dev-dependency',
      severity: 'error',
      // Those who need the bundler say so if it is not installed. Components have the React of the console.
      from: {
        path: '^(kit|client|server|modules)/',
        pathNot:
          '\\.test\\.ts$|(^|/)testing/|^server/src/(packages/bundle-module|loader/bundle-console)\\.ts$|^modules/[^/]+/console/',
      },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      // bench/server is the exception: a process that runs the kernel with the modules and actions of the benchmarks.
      name: 'e2e-and-bench-import-no-server-code',
      severity: 'error',
      from: { path: '^(e2e|bench)/', pathNot: '^bench/server/' },
      to: { path: '^(server|modules)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^web/dist' },
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
