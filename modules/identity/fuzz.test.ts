import { Failure } from '@chowk/kit';
import { expect, test } from 'vitest';
import { pathParameters, type RegisteredAction } from '../../server/src/actions/registry.ts';
import { Context } from '../../server/src/context/context.ts';
import { databaseFailure } from '../../server/src/db/failures.ts';
import { takesBody } from '../../server/src/http/read-input.ts';
import { loadModules } from '../../server/src/loader/load-modules.ts';
import { startAccounts, testPassword } from '../../server/testing/accounts.ts';
import { undocumentedErrors } from '../../server/testing/documented-errors.ts';
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
const operations = modules.flatMap(({ definition }) =>
  Object.entries(definition.actions ?? {}).filter(([, { bus }]) => bus),
);
const consumer = testModule({ alias: 'consumer', consumes: operations.map(([name]) => name) });
const platform = await startAccounts({
  modules: [...modules, consumer],
  environment: { RATE_LIMIT_PER_MINUTE: '0', LOGIN_FAILURES_PER_MINUTE: '10000', RESENDS_PER_MINUTE: '1000' },
});
const { kernel } = platform;
const tenant = await platform.tenant({ role: 'platform_owner' });
const findDifference = undocumentedErrors(kernel);

for (const name of ['current_password', 'password']) seen.add(name, testPassword);
let person = await newPerson();

/** Some requests end the session of the person, or remove it from the tenant. */
async function newPerson() {
  const created = await platform.person({ tenant });
  for (const name of ['assignee', 'user', 'team']) seen.addId(name, created.id);
  seen.add('email', created.email);
  seen.add('refresh_token', created.refreshToken);
  return created;
}

/** The kind of record that the `id` in a path belongs to: `customers` of `/api/v1/customers/:id/orders`. */
function findSubject({ path, tag }: RegisteredAction): string {
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

function findProblem(action: RegisteredAction, answer: TestResponse): string | undefined {
  const { status, body } = answer;
  if (status < 400) return undefined;
  const difference = status >= 500 ? 'internal error' : action.webPage ? undefined : findDifference(action, answer);
  return difference && `${difference}: ${status} ${JSON.stringify(body)}`;
}

function inputFor(action: RegisteredAction): Fields {
  const input = (action.input ? random.valid(action.input, '', findSubject(action)) : {}) as Fields;
  return random.chance(0.5) ? input : random.mutate(input);
}

async function tryRequest(action: RegisteredAction): Promise<string | undefined> {
  const options = requestFor(action, inputFor(action));
  const answer = await person.request(options).catch((error: Error) => error);
  const problem = answer instanceof Error ? answer.message : findProblem(action, answer);
  if (answer instanceof Error || answer.status === 401 || answer.status === 403) person = await newPerson();
  else seen.read(answer.body, findSubject(action));
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
