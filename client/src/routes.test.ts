import { Answer, permissionsFor, type TObject, uploadField } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import type { RegisteredAction } from '../../server/src/actions/registry.ts';
import { createExample } from '../../server/src/http/openapi/examples.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { getPort } from '../../server/testing/raw-http.ts';
import { pixel } from '../testing/pixel.ts';
import { createClient, memoryTokens } from './client.ts';
import { routes } from './routes.ts';

/* Every action is called over HTTP. Instead of running, it responds with its name and the input it got. */

const platform = await startPlatform({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
// Signed requests come from other platforms.
const actions = platform.kernel.actions.filter(
  ({ method, webPage, accepts, allowsOrigin }) => method && !webPage && !allowsOrigin && accepts !== 'signed',
);
for (const action of actions) {
  const respond = async (_: unknown, input: unknown) =>
    new Answer(JSON.stringify({ name: action.name, input }), { headers: { 'content-type': 'application/json' } });
  Object.assign(action, { run: respond, guard: undefined, check: undefined, atomic: undefined });
}
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const acme = await platform.tenant();
const { token: accessToken } = acme.caller(...actions.flatMap(permissionsFor));
const url = `http://127.0.0.1:${getPort(platform.app)}`;
const chowk = createClient({ url, tenant: acme.id, tokens: memoryTokens({ accessToken }) });

const calls = Object.entries(routes).flatMap(([area, methods]) =>
  Object.keys(methods).map((method) => ({ area, method, name: `${area}.${method}` })),
);

test('the client has a function for every action', () => {
  expect(calls.map(({ name }) => name).sort()).toEqual(actions.map(({ name }) => name).sort());
});

function exampleInput({ input = {} as TObject }: RegisteredAction): Record<string, unknown> {
  const upload = uploadField(input.properties);
  const example = createExample({ ...input, type: 'object' }, 'input') as Record<string, unknown>;
  return { ...example, ...(upload ? { [upload.name]: new Blob([pixel], { type: 'image/png' }) } : {}) };
}

test.each(calls)('$name reaches its action with every field of its input', async ({ area, method, name }) => {
  const example = exampleInput(actions.find((action) => action.name === name) as RegisteredAction);
  let ignored: string | null = null;
  const onResponse = ({ headers }: Response) => {
    ignored = headers.get('ignored-fields');
  };
  const call = (chowk as never)[area][method] as (input: object, options: object) => Promise<unknown>;
  const answer = await call(example, { onResponse });
  const reached = (answer instanceof Response ? await answer.json() : answer) as { name: string; input: object };
  expect(reached.name).toBe(name);
  expect(Object.keys(reached.input)).toEqual(expect.arrayContaining(Object.keys(example)));
  expect(ignored).toBeNull();
});

test('a value that would change the path is refused before anything is sent', async () => {
  for (const id of ['', '.', '..']) await expect(chowk.orders.delete({ id })).rejects.toThrow(TypeError);
  await expect(chowk.orders.delete({} as never)).rejects.toThrow('The input needs id');
  const order = await chowk.orders.getByNumber({ order_number: '10/42 & more' });
  expect(order).toMatchObject({ name: 'orders.getByNumber', input: { order_number: '10/42 & more' } });
});
