import { listRings } from '../tenancy/rings.ts';
import type { Command } from './command.ts';

export const ringListCommand: Command = {
  name: 'ring:list',
  usage: '[--json]',
  summary: 'list all rings with their number of tenants, the most conservative first',
  async run({ kernel, table }, { options }) {
    const { central } = await kernel();
    const rings = await listRings(central.db);
    if (options.json) return table(rings, '');
    table(
      rings.map((ring) => ({
        name: ring.name,
        display_name: ring.display_name,
        order: ring.promotion_order,
        active: ring.is_active,
        default: ring.is_default,
        tenants: ring.tenants,
        hostname_segment: ring.hostname_segment,
        platform: ring.platform_version,
      })),
      '',
    );
  },
};
