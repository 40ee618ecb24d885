import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ringVersions, type RingName } from '../../testing/ring-packages.ts';
import { startRings } from '../../testing/ring-platform.ts';

const platform = await startRings();
const { tenants } = platform;
const rings = Object.keys(ringVersions) as RingName[];

test('three rings serve three versions of a module over REST', async () => {
  for (const ring of rings) {
    const answer = await platform.get(tenants[ring], '/api/v1/probe/version');
    expect(answer).toMatchObject({ status: 200, ring, body: { version: ringVersions[ring] } });
  }
  expect(platform.output()).toBe('x');
});
