import { type Method, permissionsFor } from '@chowk/kit';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testConfig } from '../../testing/test-config.ts';
import { registerActions } from '../actions/registry.ts';
import { loadModules } from './load-modules.ts';
import { permissionsOf } from './permissions.ts';

/* What holds for every module of the trade, whatever it does. */

const modules = (await loadModules(testConfig())).filter(({ manifest }) => !manifest.system);
const platform = await startPlatform();
const acme = await platform.tenant();
const anything = '0190a000-0000-7000-8000-000000000000';
const permissions = permissionsOf(modules).map(({ name }) => name);

const calls = modules.flatMap(({ alias, parts }) =>
  registerActions(parts.actions ?? {}, { module: alias, tag: alias })
    .filter(({ method }) => method)
    .map(({ name, method, path, accepts, ...action }) => ({
      ...{ alias, name, needs: permissionsFor(action) },
      request: {
        method: method as Method,
        url: path.replace(/:\w+/g, anything),
        ...(accepts === 'csv' ? { payload: 'sku\n', headers: { 'content-type': 'text/csv' } } : {}),
      },
    })),
);

test.each(calls)('$name needs $needs, which a module declares, and nothing else', async ({ needs, request }) => {
  expect(permissions).toEqual(expect.arrayContaining(needs));
  const others = acme.caller(...permissions.filter((one) => !needs.includes(one)));
  const { status, body } = await others.request(request);
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'auth.forbidden' });
  for (const one of needs) expect((await acme.caller(one).request(request)).status).not.toBe(403);
});

test.each(modules.map(({ alias }) => alias))('a tenant without %s has none of it', async (alias) => {
  await platform.kernel.installations.set(acme.id, alias, 'disabled');
  onTestFinished(() => platform.kernel.installations.set(acme.id, alias, 'enabled'));
  const owner = acme.caller(...permissions);
  for (const { request } of calls.filter((call) => call.alias === alias)) {
    const { status, body } = await owner.request(request);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'modules.not_installed' });
  }
});
