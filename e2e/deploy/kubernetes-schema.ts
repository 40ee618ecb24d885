/** A resource of Kubernetes. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: resources of every kind
  readonly [field: string]: any;
}

interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly { readonly instancePath: string; readonly keyword: string }[] | null;
}

/** The operator of PostgreSQL publishes no schemas on npm. */
const withoutSchema = new Set(['postgresql.cnpg.io/v1 Cluster']);

/** What the schema of the resource's kind refuses: wrong values, missing and unknown fields. */
export async function findProblems(resource: Resource): Promise<string[]> {
  const { apiVersion, kind, metadata } = resource;
  if (withoutSchema.has(`${apiVersion} ${kind}`)) return [];
  const { validate } = (await import(schemaFile(resource))) as { validate: Validator };
  const read = new Set<string>();
  validate(recordReads(resource, '', read));
  const wrong = (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} (${keyword})`);
  const unknown = listPaths(resource, '').filter((path) => !read.has(path));
  return [...wrong, ...unknown.map((path) => `${path} (unknown)`)].map((text) => `${kind} ${metadata.name}: ${text}`);
}

/** The packages export models, which read all fields; the validation itself is in these files. */
function schemaFile({ apiVersion, kind }: Resource): string {
  if (apiVersion === 'keda.sh/v1alpha1') {
    const name = `ComGithubKedacoreKedaV2ApisKedaV1alpha1${kind}`;
    return new URL(`./_schemas/${name}.js`, import.meta.resolve('@kubernetes-models/keda')).href;
  }
  const [version = '', group = 'core'] = apiVersion.split('/').reverse();
  const [name = ''] = group.split('.');
  const file = `./_schemas/IoK8sApi${capitalize(name)}${capitalize(version)}${kind}.js`;
  return new URL(file, import.meta.resolve('kubernetes-models')).href;
}

const capitalize = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** The schemas allow unknown fields, so a field that the validation does not read is one. */
function recordReads<Value>(value: Value, path: string, read: Set<string>): Value {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const field = Reflect.get(target, key);
      if (typeof key !== 'string') return field;
      read.add(`${path}/${key}`);
      return recordReads(field, `${path}/${key}`, read);
    },
  });
}

function listPaths(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [`${path}/${key}`, ...listPaths(field, `${path}/${key}`)]);
}
