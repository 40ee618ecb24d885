import { parse, stringify } from 'node:querystring';
import { Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { pathParameters, type RegisteredAction } from '../../server/src/actions/registry.ts';
import { takesBody } from '../../server/src/http/read-input.ts';
import { compileText } from '../../server/src/schemas/validation.ts';
import { startAccounts } from '../../server/testing/accounts.ts';
import { type Fields, RandomInput, SeenValues, seededRandom } from '../../server/testing/random-input.ts';
import { readTables } from '../../server/testing/read-tables.ts';
import { recordProof } from '../../server/testing/record-proof.ts';

/*
 * Random requests to every endpoint, each with an input that its description does not allow: all are refused, and nothing is written.
 * A long run: MALFORMED_REQUESTS=10000 MALFORMED_SEED=7 npm test -- malformed
 */

const perEndpoint = Number(process.env.MALFORMED_REQUESTS ?? 6);
const random = new RandomInput(seededRandom(Number(process.env.MALFORMED_SEED ?? 1)), new SeenValues());
const maxTries = 50;

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
const { kernel } = platform;
const tenant = await platform.tenant({ role: 'platform_owner' });
const person = await platform.person({ tenant });

/** As in a path or a query. */
function asText(value: unknown): string {
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed().slice(0, 900);
}

/** A request with an input that the schema of the action rejects, unless the schema rejects nothing. */
function createRequest(action: RegisteredAction) {
  const { method = 'GET', path, input: schema = Type.Object({}) } = action;
  const inPath = pathParameters(path);
  const validateText = compileText(schema);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const changed = random.mutate(random.valid(schema) as Fields);
    // Without it, the path would be another one.
    for (const name of inPath) changed[name] = asText(changed[name] ?? 'x') || 'x';
    const url = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(changed[name])));
    const rest = Object.entries(changed).filter(([name]) => !inPath.includes(name));
    if (takesBody(action)) {
      if (!action.validate(structuredClone(changed))) continue;
      const headers = { 'content-type': 'application/json' };
      return { method, url, payload: JSON.stringify(Object.fromEntries(rest)), headers };
    }
    const query = stringify(Object.fromEntries(rest.map(([name, value]) => [name, [value].flat().map(asText)])));
    const fromPath = Object.fromEntries(inPath.map((name) => [name, changed[name]]));
    if (!validateText({ ...parse(query), ...fromPath })) continue;
    return { method, url: query === '' ? url : `${url}?${query}` };
  }
  return undefined;
}

// `check-requirements` starts programs.
const endpoints = kernel.actions.filter(
  ({ method, path, accepts = 'json', unchecked, input, webPage }) =>
    method && input && accepts === 'json' && !unchecked && !webPage && !path.endsWith('/install/check-requirements'),
);

/** Their schemas reject nothing, or so little that it is rarely found. */
const acceptingAll: ReadonlySet<string> = new Set([
  'settings.update',
  'notifications.markAllRead',
  'modules.enable',
  'modules.disable',
]);

test('malformed requests to every endpoint are refused, and write nothing', async () => {
  // Announces the migration of the new tenant.
  await kernel.deliveries.sweep();
  const before = { central: await readTables(kernel.central.db), tenant: await readTables(tenant.db) };
  const problems: string[] = [];
  const statuses = new Map<number, number>();
  const acceptsAll: string[] = [];
  for (const action of endpoints) {
    for (let index = 0; index < perEndpoint; index += 1) {
      const request = createRequest(action);
      if (!request) {
        if (index === 0) acceptsAll.push(action.name);
        break;
      }
      const { status, body } = await person.request(request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 400 && status < 500) continue;
      problems.push(
        `${action.name}: ${JSON.stringify(request).slice(0, 500)} ${status} ${JSON.stringify(body).slice(0, 200)}`,
      );
    }
  }
  expect(problems.slice(0, 20)).toEqual([]);
  expect({ central: await readTables(kernel.central.db), tenant: await readTables(tenant.db) }).toEqual(before);
  const requests = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  expect(acceptsAll.filter((name) => !acceptingAll.has(name))).toEqual([]);
  const answers = Object.fromEntries([...statuses].map(([status, count]) => [`answered ${status}`, count]));
  recordProof({ endpoints: endpoints.length, requests, ...answers });
}, 86_400_000);
