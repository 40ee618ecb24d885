import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const { db } = platform.kernel.central;
await db.run(sql`
  INSERT INTO module_rings
    (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment, promotion_order, is_active)
  VALUES ('edge', 'Edge', 'modules/manifest.lock.json', 'chowk-edge', 'web', 'edge', 1, true),
    ('frozen', 'Frozen', '/nowhere.lock.json', 'chowk-frozen', 'web', 'frozen', 2, false)`);
const owner = await platform.tenant({ role: 'platform_owner' });
const operator = owner.caller('platform.rings.view', 'platform.rings.manage');

const assign = (ring: string, body: object, caller = operator) => caller.post(`/api/v1/rings/${ring}/assign`, body);
const ringFor = async ({ id }: TestTenant) => (await platform.kernel.directory.find(id))?.ring;

test('the owner of the platform sees the rings with their tenants and module versions', async () => {
  const { status, body } = await operator.get('/api/v1/rings');
  expect(status).toBe(200);
  expect(body.rings.map(({ name }: { name: string }) => name)).toEqual(['stable', 'edge', 'frozen']);
  expect(body.rings[0]).toMatchObject({ is_default: true, modules: { orders: '1.0.0' }, platform_version: null });
  expect((await operator.get('/api/v1/rings/frozen')).body.ring).toMatchObject({ modules: null, tenants: 0 });
  expect(await operator.get('/api/v1/rings/nothing')).toMatchObject({ status: 404, body: { code: 'rings.not_found' } });
});

test('an assignment applies to the next request and is in the history', async () => {
  const acme = await platform.tenant();
  const { status, body } = await assign('edge', { tenant_id: acme.id, reason: 'tries the new orders' });
  expect({ status, tenants: body.ring.tenants }).toEqual({ status: 200, tenants: 1 });
  expect(await ringFor(acme)).toBe('edge');
  // Nothing changes, so that nothing is recorded.
  expect((await assign('edge', { tenant_id: acme.id })).status).toBe(200);
  expect((await assign('stable', { tenant_id: acme.id })).status).toBe(200);
  const history = await operator.get(`/api/v1/ring-operations?tenant_id=${acme.id}`);
  const change = { operator: `user ${operator.user.id}`, operation: 'assign', tenant_id: acme.id, status: 'done' };
  expect(history.body.operations).toMatchObject([
    { ...change, ring: 'stable', from_value: 'edge', to_value: 'stable', reason: null },
    { ...change, ring: 'edge', from_value: 'stable', to_value: 'edge', reason: 'tries the new orders' },
  ]);
});

test('unknown rings and tenants and inactive rings are refused', async () => {
  const { id: tenant_id } = await platform.tenant();
  expect(await assign('nothing', { tenant_id })).toMatchObject({ status: 404, body: { code: 'rings.not_found' } });
  expect(await assign('frozen', { tenant_id })).toMatchObject({ status: 409, body: { code: 'rings.not_active' } });
  const unknown = await assign('edge', { tenant_id: 'nobody' });
  expect(unknown).toMatchObject({ status: 404, body: { code: 'tenancy.unknown' } });
  expect((await assign('edge', {})).status).toBe(422);
});

test('resellers and merchants see no rings and assign none, even with the permissions', async () => {
  for (const role of ['reseller', 'merchant'] as const) {
    const tenant = await platform.tenant({ role });
    const caller = tenant.caller('platform.rings.view', 'platform.rings.manage');
    for (const path of ['rings', 'rings/stable', 'ring-operations']) {
      const response = await caller.get(`/api/v1/${path}`);
      expect(response).toMatchObject({ status: 403, body: { code: 'rings.platform_only' } });
    }
    expect((await assign('edge', { tenant_id: tenant.id }, caller)).status).toBe(403);
    expect(await ringFor(tenant)).toBe('stable');
  }
  expect((await assign('edge', {}, owner.caller('platform.rings.view'))).status).toBe(403);
});
