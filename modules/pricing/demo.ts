import { type Ctx, type Demo, type DemoPlan, demoId, fillTables, raw, sql } from '@chowk/kit';
import data from './demo-data.json' with { type: 'json' };
import { readState } from './regions.ts';
import { presetRates } from './tax-rates.ts';

const tables = ['discounts', 'tax_rates', 'shipping_zones'] as const;
const age = 3 * 365 * 86_400_000;

/** Discounts, shipping rates, and the taxes of countries with a preset. A tenant keeps what it has of its own. */
export const demo: Demo = {
  async fill(ctx, plan) {
    const settings = await ctx.settings();
    const country = settings['general.country'];
    const state = readState(country, settings['pricing.state']) ?? (country === 'IN' ? 'MH' : null);
    const newRecord = recordMaker(plan);
    const rates = (presetRates(country, state) ?? []).map((rate) => newRecord(rate));
    const zones = data.zones.map(({ rates: ownRates, isHome, name }) => {
      const regions = JSON.stringify(isHome ? [{ country, states: [] }] : []);
      const zone = newRecord({ name, regions, rest_of_world: !isHome });
      return { zone, rates: ownRates.map((rate) => newRecord({ ...limits, ...rate, zone_id: zone.id })) };
    });
    const found = await findTables(ctx);
    const unlessFound = <Rows>(table: (typeof tables)[number], rows: Rows[]) => (found.has(table) ? [] : rows);
    await fillTables(ctx, {
      discounts: unlessFound(
        'discounts',
        data.discounts.map((discount) => newRecord({ ...terms, ...discount })),
      ),
      tax_rates: unlessFound('tax_rates', rates),
      shipping_zones: unlessFound(
        'shipping_zones',
        zones.map(({ zone }) => zone),
      ),
      shipping_rates: unlessFound(
        'shipping_zones',
        zones.flatMap((zone) => zone.rates),
      ),
    });
  },
};

const terms = {
  value: '0',
  applies_to: 'all',
  minimum_subtotal: null,
  minimum_quantity: null,
  usage_limit: null,
  once_per_customer: false,
  combines: false,
  is_active: true,
};

const limits = { minimum_weight: null, maximum_weight: null, free_above: null, is_active: true };

function recordMaker({ today, random: stream }: DemoPlan) {
  const random = stream('pricing');
  const at = new Date(today - age);
  return <Fields extends object>(fields: Fields) => {
    return { id: demoId(at.getTime(), random), ...fields, created_at: at, updated_at: at };
  };
}

/** The tables that have rows. */
async function findTables(ctx: Ctx): Promise<Set<string>> {
  const selects = tables.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${name})`);
  const rows = await ctx.db.rows<{ name: string }>(sql`${raw(selects.join(' UNION ALL '))}`);
  return new Set(rows.map(({ name }) => name));
}
