import { Failure } from '@chowk/kit';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { pathParameters, type RegisteredAction } from '../../server/src/actions/registry.ts';
import { Context } from '../../server/src/context.ts';
import { databaseFailure } from '../../server/src/db/failures.ts';
import { openApiDocument } from '../../server/src/http/openapi/document.ts';
import { takesBody } from '../../server/src/http/read-input.ts';
import { loadModules } from '../../server/src/loader/load-modules.ts';
import { startAccounts, testPassword } from '../../server/testing/accounts.ts';
import type { TestResponse } from '../../server/testing/platform.ts';
import { type Fields, RandomInput, SeenValues, seededRandom } from '../../server/testing/random-input.ts';
import { testConfig } from '../../server/testing/test-config.ts';
import { testModule } from '../../server/testing/test-module.ts';

/*
 * Random requests to every action: half of them have an input that the schema accepts, the others one with a change.
 * None may cause a 5xx response, and every error has the documented shape. A long run, with another seed:
 * FUZZ_ROUNDS=300 FUZZ_SEED=7 npx vitest run modules/identity/fuzz.test.ts
 */

const rounds = Number(process.env.FUZZ_ROUNDS ?? 3);
const seen = new SeenValues();
const random = new RandomInput(seededRandom(Number(process.env.FUZZ_SEED ?? 1)), seen);

const modules = await loadModules(testConfig());
const operations = modules.flatMap(({ parts }) => Object.entries(parts.actions ?? {}).filter(([, { bus }]) => bus));
const consumer = testModule({ alias: 'consumer', consumes: operations.map(([name]) => name) });
const platform = await startAccounts({
  modules: [...modules, consumer],
  environment: { RATE_LIMIT_PER_MINUTE: '0', LOGIN_FAILURES_PER_MINUTE: '10000', RESENDS_PER_MINUTE: '1000' },
});
const { kernel } = platform;
const tenant = await platform.tenant({ role: 'platform_owner' });
interface Response {
  readonly $ref?: string;
  readonly content?: Record<string, { schema: object }>;
}
const document = openApiDocument(kernel.actions, kernel.modules) as {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
};

for (const name of ['current_password', 'password']) seen.add(name, testPassword);
let person = await platform.person({ tenant });

/** Some requests end the session, or remove the person from the tenant. */
async function renewPerson(): Promise<void> {
  person = await platform.person({ tenant });
}

/** The kind of record that the `id` in a path belongs to: `customers` of `/api/v1/customers/:id/orders`. */
function subjectOf({ path, tag }: RegisteredAction): string {
  return /([a-z-]+)\/:/.exec(path)?.[1] ?? tag.toLowerCase();
}

function requestFor(action: RegisteredAction, input: Fields) {
  const { method = 'GET', path, accepts } = action;
  const inPath = pathParameters(path);
  const inUrl = (value: unknown) =>
    encodeURIComponent(String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed()).slice(0, 900);
  const url = path.replace(/:(\w+)/g, (_, name: string) => inUrl(input[name] ?? 'x') || '%20');
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name));
  const key = method === 'POST' && random.chance(0.1) ? { 'idempotency-key': `key-${random.pick([1, 2, 3])}` } : {};
  if (!takesBody(action)) {
    const query = rest.flatMap(([name, value]) => [value].flat().map((one) => `${inUrl(name)}=${inUrl(one)}`));
    return { method, url: query.length > 0 ? `${url}?${query.join('&')}` : url, headers: key };
  }
  const type = accepts === 'csv' ? 'text/csv' : 'application/json';
  const payload = accepts === 'csv' ? String(input.csv) : JSON.stringify(Object.fromEntries(rest));
  return { method, url, payload, headers: { ...key, 'content-type': type } };
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const shapes = new Map<string, ValidateFunction>();

/** The schema of an error in the API description. */
function shapeOf({ path, method = 'GET' }: RegisteredAction, status: number): ValidateFunction {
  const responses = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses ?? {};
  const response = responses[status] ?? responses.default;
  const { content } =
    (response?.$ref ? document.components.responses[response.$ref.split('/')[3] ?? ''] : response) ?? {};
  const schema = content?.['application/json']?.schema ?? false;
  const key = JSON.stringify(schema);
  const shape = shapes.get(key) ?? ajv.compile(schema && { ...schema, components: document.components });
  shapes.set(key, shape);
  return shape;
}

function problemOf(action: RegisteredAction, { status, body }: TestResponse): string | undefined {
  if (status >= 500) return `${status} ${JSON.stringify(body)}`;
  if (status < 400 || action.page) return undefined;
  const shape = shapeOf(action, status);
  const isDocumented: boolean = shape(body);
  if (!isDocumented) return `${status} ${JSON.stringify(body)}: ${ajv.errorsText(shape.errors)}`;
  const isInvalid = body.code === 'http.validation_failed';
  const fields = (name: string) =>
    Object.keys(body[name] ?? {})
      .sort()
      .join();
  return isInvalid && (fields('errors') === '' || fields('errors') !== fields('error_codes'))
    ? `the fields differ: ${JSON.stringify(body)}`
    : undefined;
}

function inputFor(action: RegisteredAction): Fields {
  const input = (action.input ? random.valid(action.input, '', subjectOf(action)) : {}) as Fields;
  return random.chance(0.5) ? input : random.mutate(input);
}

async function tryRequest(action: RegisteredAction): Promise<string | undefined> {
  const options = requestFor(action, inputFor(action));
  const answer = await person.request(options).catch((error: Error) => error);
  const problem = answer instanceof Error ? answer.message : problemOf(action, answer);
  if (answer instanceof Error || answer.status === 401 || answer.status === 403) await renewPerson();
  else seen.read(answer.body, subjectOf(action));
  return problem && `${action.name}: ${JSON.stringify(options).slice(0, 2_000)}\n${problem.slice(0, 2_000)}`;
}

/** Over the bus inputs are JSON, also those of lists. */
async function tryCall(action: RegisteredAction): Promise<string | undefined> {
  const input = inputFor(action);
  const ctx = new Context(kernel, { requestId: 'fuzz', module: 'consumer', tenant, system: true });
  const outcome = await ctx.bus.call(action.name as never, input as never).then(
    () => undefined,
    (error: unknown) => error,
  );
  const failure = databaseFailure(outcome) ?? outcome;
  if (failure === undefined || (failure instanceof Failure && failure.status < 500)) return undefined;
  return `bus ${action.name}: ${JSON.stringify(input).slice(0, 2_000)}\n${String(outcome)}`;
}

// Tested by its own module, because it starts programs.
const isSkipped = ({ path }: RegisteredAction) =>
  path.endsWith('/install/check-requirements') || path === '/api/health';

test('random requests to every action cause no internal error, and errors have the documented shape', async () => {
  const problems: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const action of kernel.actions) {
      if (isSkipped(action)) continue;
      const tried = [
        action.method ? await tryRequest(action) : undefined,
        action.bus ? await tryCall(action) : undefined,
      ];
      problems.push(...tried.filter((problem) => problem !== undefined));
    }
  }
  expect(problems.slice(0, 20)).toEqual([]);
}, 3_600_000);
