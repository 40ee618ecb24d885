import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { findProblems, type Resource } from './kubernetes-schema.ts';

const repository = resolve(import.meta.dirname, '../..');
const deploy = join(repository, 'deploy');
const rings = ['stable', 'edge', 'canary'];
const execute = promisify(execFile);
const hasKubectl = await execute('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);
if (!hasKubectl)
  process.stderr.write('kubectl is not installed: the overlays are not rendered, only their files are checked\n');

/** The variables that `config.ts` declares, from the page that is generated from it. */
const configuration = await readFile(join(repository, 'docs/configuration.md'), 'utf8');
const variables = new Set([...configuration.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name));

const unknownVariables = (names: readonly string[]) => names.filter((name) => !variables.has(name));
const readYaml = async (path: string) => parse(await readFile(join(deploy, path), 'utf8'), { merge: true });
const readResources = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as Resource);

let folder: Promise<string> | undefined;

/** A copy of the manifests with a lock file for each ring, as an operator has after adding the rings. */
function copyManifests(): Promise<string> {
  folder ??= (async () => {
    const copy = await mkdtemp(join(tmpdir(), 'chowk-deploy-'));
    await cp(deploy, join(copy, 'deploy'), { recursive: true });
    await mkdir(join(copy, 'modules/manifests'), { recursive: true });
    const lock = join(repository, 'modules/manifest.lock.json');
    for (const name of ['manifest', ...rings.map((ring) => `manifests/${ring}`)]) {
      await cp(lock, join(copy, `modules/${name}.lock.json`));
    }
    return copy;
  })();
  return folder;
}
afterAll(async () => {
  if (folder) await rm(await folder, { recursive: true });
});

async function render(path: string): Promise<Resource[]> {
  const target = join(await copyManifests(), 'deploy/kubernetes', path);
  const { stdout } = await execute('kubectl', ['kustomize', '--load-restrictor=LoadRestrictionsNone', target]);
  return readResources(stdout);
}

const find = (resources: readonly Resource[], kind: string, name: string) =>
  resources.find((one) => one.kind === kind && one.metadata.name.startsWith(name)) as Resource;
const containers = ({ spec }: Resource) => [
  ...(spec.template.spec.initContainers ?? []),
  ...spec.template.spec.containers,
];

test('a wrong value, a missing field and an unknown field of a manifest are found', async () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' } };
  expect(await findProblems({ ...service, spec: { ports: [{ port: 80 }] } })).toEqual([]);
  const ports = [{ port: '80', prot: 'TCP' }, {}];
  expect((await findProblems({ ...service, spec: { ports } })).join('\n')).toMatch(
    /\/spec\/ports\/0\/port \(type\)(.|\n)*\/spec\/ports\/1 \(required\)(.|\n)*\/spec\/ports\/0\/prot \(unknown\)/,
  );
});

test('every file of a manifest is valid for its kind', async () => {
  const files = (await readdir(join(deploy, 'kubernetes'), { recursive: true })).filter((path) =>
    path.endsWith('.yaml'),
  );
  const checked: string[] = [];
  for (const path of files.filter((one) => !one.endsWith('kustomization.yaml'))) {
    for (const resource of readResources(await readFile(join(deploy, 'kubernetes', path), 'utf8'))) {
      expect(await findProblems(resource)).toEqual([]);
      checked.push(`${resource.kind} ${resource.metadata.name}`);
    }
  }
  expect(checked).toEqual(
    expect.arrayContaining(['Deployment api', 'Deployment worker', 'Deployment web', 'Cluster postgres']),
  );
});

test.skipIf(!hasKubectl).each(rings)('the overlay of the ring %s is complete', async (ring) => {
  const resources = await render(`overlays/${ring}`);
  for (const resource of resources) {
    expect(await findProblems(resource)).toEqual([]);
    if (resource.kind !== 'Namespace') expect(resource.metadata.namespace).toBe(`chowk-${ring}`);
    else expect(resource.metadata.labels?.['app.kubernetes.io/part-of']).toBe('chowk');
  }
  const { data } = find(resources, 'ConfigMap', 'chowk-');
  expect(unknownVariables(Object.keys(data))).toEqual([]);
  expect(data).toMatchObject({ APP_ENV: 'production', RING_NAME: ring });
  const lock = JSON.parse(find(resources, 'ConfigMap', 'lock-').data['lock.json']);
  expect(Object.keys(lock.modules)).toContain('orders');
  const { query } = find(resources, 'ScaledObject', 'worker').spec.triggers[0].metadata;
  expect(query).toContain(`name LIKE '${ring}/%'`);
  const hosts = find(resources, 'Ingress', 'web').spec.rules.map(({ host }: { host: string }) => host);
  expect(hosts).toContain(`*.${ring}.example.com`);
  expect(hosts.includes('*.example.com')).toBe(ring === 'stable');
});

test.skipIf(!hasKubectl)('pods are restricted, limited and probed, and disruptions leave some of them', async () => {
  const resources = await render('overlays/stable');
  for (const name of ['api', 'worker', 'web']) {
    const deployment = find(resources, 'Deployment', name);
    expect(deployment.spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
    for (const container of containers(deployment)) {
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      const isPlatform = container.image === 'registry.example.com/chowk:1.0.0';
      if (isPlatform) expect(container.resources.limits.memory).toBe('1536Mi');
    }
    const [main] = deployment.spec.template.spec.containers;
    expect(main).toMatchObject({ livenessProbe: {}, readinessProbe: {} });
    expect(find(resources, 'PodDisruptionBudget', name).spec.selector).toEqual(deployment.spec.selector);
  }
  expect(find(resources, 'HorizontalPodAutoscaler', 'api').spec.maxReplicas).toBeGreaterThan(2);
});

test.skipIf(!hasKubectl)('the services and the selectors of policies fit the pods', async () => {
  const resources = await render('overlays/stable');
  const pods = resources.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.metadata.labels);
  const matches = (labels: Record<string, string>) =>
    pods.some((pod) => Object.entries(labels).every(([key, value]) => pod[key] === value));
  for (const service of resources.filter(({ kind }) => kind === 'Service'))
    expect(matches(service.spec.selector)).toBe(true);
  for (const { spec } of resources.filter(({ kind }) => kind === 'NetworkPolicy')) {
    expect(matches(spec.podSelector.matchLabels ?? {})).toBe(true);
  }
  // The row of the ring `stable` that every installation has.
  const rows = await readFile(join(repository, 'server/migrations/central/0001_tenancy.sql'), 'utf8');
  const { metadata } = find(resources, 'Service', 'web');
  expect(rows).toContain(`'${metadata.namespace}', '${metadata.name}.${metadata.namespace}.svc.cluster.local'`);
});

test.skipIf(!hasKubectl)('a promotion changes the pods of its ring', async () => {
  const readVolumes = async () => find(await render('overlays/edge'), 'Deployment', 'api').spec.template.spec.volumes;
  const before = await readVolumes();
  const file = join(await copyManifests(), 'modules/manifests/edge.lock.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"version": "1.0.0"', '"version": "1.1.0"'));
  expect(await readVolumes()).not.toEqual(before);
});

test.skipIf(!hasKubectl)('the shared engines are valid', async () => {
  const resources = await render('engines');
  for (const resource of resources) expect(await findProblems(resource)).toEqual([]);
  expect(find(resources, 'Cluster', 'postgres').spec.managed.roles).toMatchObject([{ name: 'chowk', createdb: true }]);
});

test('the secret and the compose file set only variables that the platform has', async () => {
  const secret = await readFile(join(deploy, 'kubernetes/secret.example.env'), 'utf8');
  const names = [...secret.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(names).toContain('APP_KEY');
  expect(unknownVariables(names)).toEqual([]);
  const { services } = await readYaml('compose.yaml');
  expect(Object.keys(services)).toEqual(['platform', 'postgres', 'redis', 'storage', 'bucket']);
  expect(unknownVariables(Object.keys(services.platform.environment))).toEqual([]);
  expect(services.platform).toMatchObject({
    read_only: true,
    tmpfs: ['/tmp'],
    build: { dockerfile: 'deploy/Dockerfile' },
  });
  for (const { depends_on = {} } of Object.values<{ depends_on?: object }>(services)) {
    for (const name of Object.keys(depends_on)) expect(services).toHaveProperty(name);
  }
});
