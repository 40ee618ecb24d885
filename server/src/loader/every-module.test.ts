import { type Method, permissionsFor } from '@chowk/kit/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testConfig } from '../../testing/test-config.ts';
import { registerActions } from '../actions/registry.ts';
import { loadModules } from './load-modules.ts';
import { collectPermissions } from './permissions.ts';

/* Rules for every tenant module. */

const all = await loadModules(testConfig());
const modules = all.filter(({ manifest }) => !manifest.system);
const platform = await startPlatform();
const acme = await platform.tenant();
const unknownId = '0190a000-0000-7000-8000-000000000000';
const permissions = collectPermissions(all).map(({ name }) => name);

const calls = modules.flatMap(({ alias, definition }) =>
  registerActions(definition.actions ?? {}, { module: alias, tag: alias })
    .filter(({ method }) => method)
    .map(({ name, method, path, accepts, ...action }) => ({
      alias,
      name,
      needs: permissionsFor(action),
      request: {
        method: method as Method,
        url: path.replace(/:\w+/g, unknownId),
        ...(accepts === 'csv' ? { payload: 'sku\n', headers: { 'content-type': 'text/csv' } } : {}),
      },
    })),
);

test.each(calls.filter(({ needs }) => needs.length > 0))(
  '$name can be called with $needs and with no other permission',
  async ({ name, needs, request }) => {
    expect(permissions).toEqual(expect.arrayContaining(needs));
    const caller = acme.caller(...permissions.filter((permission) => !needs.includes(permission)));
    const { status, body } = await caller.request(request);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'auth.forbidden' });
    // With one of its permissions, an upsert may create or update, but not both.
    const sufficient = name.includes('.upsert') ? [needs] : needs.map((permission) => [permission]);
    for (const held of sufficient) {
      expect((await acme.caller(...held).request(request)).status).not.toBe(403);
    }
  },
);

test.each(modules.map(({ alias }) => alias))(
  'the actions of %s are not found for a tenant without it',
  async (alias) => {
    await platform.kernel.installations.set(acme.id, alias, 'disabled');
    onTestFinished(() => platform.kernel.installations.set(acme.id, alias, 'enabled'));
    const owner = acme.caller(...permissions);
    for (const { request } of calls.filter((call) => call.alias === alias)) {
      const { status, body } = await owner.request(request);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'modules.not_installed' });
    }
  },
);
