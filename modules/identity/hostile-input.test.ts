import { type TSchema, Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { pathParameters, type RegisteredAction } from '../../server/src/actions/registry.ts';
import { createExample } from '../../server/src/http/openapi/examples.ts';
import { takesBody } from '../../server/src/http/read-input.ts';
import { compileBody, compileText, type Validator } from '../../server/src/schemas/validation.ts';
import { startAccounts } from '../../server/testing/accounts.ts';

/*
 * No input to any action of any module causes a 5xx response. New actions are included automatically. A value that the
 * schema of a field rejects does not reach the action: it is sent once for all schemas with the same rules. Others are sent to
 * every action; of plain text one of each kind, another for each field, after all of them have been sent once for each schema.
 */

const platform = await startAccounts({
  environment: { RATE_LIMIT_PER_MINUTE: '0', LOGIN_FAILURES_PER_MINUTE: '10000', RESENDS_PER_MINUTE: '1000' },
});
const tenant = await platform.tenant({ role: 'platform_owner' });

type Request = Parameters<typeof platform.request>[0];

const textKinds: readonly (readonly string[])[] = [
  [''],
  ['\0', 'a\0b'],
  ['\ud800'],
  ['9223372036854775808', '-1', '1e400', 'NaN'],
  ["'; DROP TABLE users; --", '../..', '%'],
  ['İ@example.com', '\u202e'],
  ['{}', '__proto__'],
  ['x'.repeat(3_000)],
  ['2040-01-01T00:00:00+23:59', '0000-01-01T00:00:00Z', '294277-01-01T00:00:00Z', '9999-12-31T23:59:60Z'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff'],
];
const texts = textKinds.flat();
const values = [...texts, null, true, -1, 2 ** 63, 1e308, 0.5, [], {}, [null], ['a\0b'], [['x']], { $ne: 1 }];
const objects = ['', '{"__proto__":{}}'];
/** An action that takes JSON and has a schema never sees them. */
const nonObjects = ['null', '[]', '"x"', '1', '{', `${'['.repeat(20_000)}${']'.repeat(20_000)}`];

type Place = 'path' | 'query' | 'body';
interface Field {
  /** With its action. */
  readonly name: string;
  readonly schema: TSchema | undefined;
}
const validators = new Map<string, Validator>();
const sent = new Set<string>();

const annotations: ReadonlySet<string> = new Set(['description', 'examples', 'title']);

/** The schema without what is only for readers. The names of properties are not annotations. */
function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name, value]) => !(annotations.has(name) && !isSchema(value)));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutAnnotations(value)]));
}

const isSchema = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the value tests nothing that another request has not: see above. */
function isRedundant(place: Place, { name, schema }: Field, value: unknown): boolean {
  if (!schema) return false;
  const rules = JSON.stringify(withoutAnnotations(schema));
  const key = `${place === 'body'} ${rules}`;
  const validate =
    validators.get(key) ?? (place === 'body' ? compileBody : compileText)(Type.Object({ field: schema }));
  validators.set(key, validate);
  if (validate({ field: structuredClone(value) })) {
    return isSent(`rejected ${place} ${withoutLimits(rules)} ${JSON.stringify(value)}`);
  }
  if (typeof value !== 'string' || !isPlainText(rules)) return false;
  return isSent(`accepted ${place} ${rules} ${JSON.stringify(value)}`) && !isChosen(value, `${place} ${name}`);
}

/** The value decides whether it is within the limits; how it is rejected does not depend on them. */
function withoutLimits(rules: string): string {
  return rules.replace(/"(enum|default)":(\[[^\]]*\]|"[^"]*")/g, '"$1":0').replace(/:-?\d[\d.e+]*/g, ':0');
}

function isPlainText(rules: string): boolean {
  const types = [...rules.matchAll(/"type":("\w+"|\[[^\]]*\])/g)].map(([, type]) => type as string);
  return !rules.includes('"format"') && types.every((type) => /^("string"|"null"|\["string","null"\])$/.test(type));
}

/** Of each kind one text, which differs from field to field. */
function isChosen(text: string, field: string): boolean {
  const kind = textKinds.find((kind) => kind.includes(text)) ?? [];
  const number = [...field].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 0);
  return kind[number % kind.length] === text;
}

function isSent(request: string): boolean {
  const isRepeated = sent.has(request);
  sent.add(request);
  return isRepeated;
}

function inUrl(text: string): string {
  return encodeURIComponent(text.slice(0, 400).toWellFormed());
}

/** Every hostile request to one action, with a description. */
function* attacks(action: RegisteredAction): Generator<[what: string, options: Request]> {
  const { method = 'GET', path, accepts = 'json', unchecked, input } = action;
  const good = (input ? createExample(input, 'input') : {}) as Record<string, unknown>;
  const inPath = pathParameters(path);
  const field = (name: string): Field => ({ name: `${action.name} ${name}`, schema: input?.properties[name] });
  const names = Object.keys(input?.properties ?? {}).filter((name) => !inPath.includes(name));
  const required = names.filter((name) => input?.required?.includes(name));
  const fields = Object.fromEntries(names.map((name) => [name, good[name]]));
  const body = takesBody(action) ? (accepts === 'csv' ? good.csv : fields) : undefined;
  const query = (without = '') =>
    body ? [] : required.filter((name) => name !== without).map((name) => `${name}=${inUrl(String(good[name]))}`);
  const url = (changed: Record<string, string> = {}, parameters: readonly string[] = query()) => {
    const filled = path.replace(
      /:(\w+)/g,
      (_, name: string) => changed[name] ?? inUrl(String(good[name] ?? 'abcdefgh')),
    );
    return parameters.length === 0 ? filled : `${filled}?${parameters.join('&')}`;
  };
  const type = accepts === 'csv' ? 'text/csv' : 'application/json';
  const withBody = (payload: unknown, to = url()): Request => ({
    method,
    url: to,
    headers: { 'content-type': type },
    ...(payload === undefined ? {} : { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
  yield ['an input that is good', withBody(body)];
  for (const name of inPath) {
    for (const text of texts) {
      if (isRedundant('path', field(name), text)) continue;
      yield [`${name}=${text}`, withBody(body, url({ [name]: inUrl(text) || '%00' }))];
    }
  }
  for (const name of body ? [] : names) {
    for (const text of texts) {
      if (isRedundant('query', field(name), text)) continue;
      const parameter = `${name}=${inUrl(text)}`;
      yield [`?${parameter}`, withBody(undefined, url({}, [...query(name), parameter]))];
    }
    if (isRedundant('query', field(name), ['1', 'x'])) continue;
    yield [`?${name} twice`, withBody(undefined, url({}, [...query(name), `${name}=1`, `${name}=x`]))];
  }
  if (method === 'GET') return;
  for (const text of objects) yield [`body ${text}`, withBody(text)];
  for (const text of nonObjects) {
    const isRejected = accepts === 'json' && !unchecked;
    if (isRejected && isSent(`${method} ${takesBody(action)} ${text}`)) continue;
    yield [`body ${text.slice(0, 20)}`, withBody(text)];
  }
  for (const text of accepts === 'csv' ? texts : []) yield [`csv ${text}`, withBody(text)];
  for (const name of body === fields ? names : []) {
    for (const value of values) {
      if (isRedundant('body', field(name), value)) continue;
      yield [`${name}: ${JSON.stringify(value)}`, withBody({ ...fields, [name]: value })];
    }
  }
}

/** A new person for each action, because an action may disable the account. */
async function findFaults(action: RegisteredAction): Promise<string[]> {
  const faults: string[] = [];
  const person = await platform.person({ tenant });
  for (const [what, options] of attacks(action)) {
    const { status, body } = await person.request(options);
    if (status >= 500) faults.push(`${what.slice(0, 100)}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  }
  return faults;
}

const actions = platform.kernel.actions.filter(
  // Tested by its own module, because it starts programs.
  ({ method, path }) => method && !path.endsWith('/install/check-requirements') && path !== '/api/health',
);

test.each(actions)('$name refuses hostile input without an internal error', async (action) => {
  expect(await findFaults(action)).toEqual([]);
});
