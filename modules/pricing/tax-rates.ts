import { byNumber, byText, byTime, type Ctx, equals, type Issues, invalid, list, sql, Type } from '@chowk/kit';
import { fail } from './errors.ts';
import { records } from './records.ts';
import { readState } from './regions.ts';
import presets from './tax-presets.json' with { type: 'json' };
import { NewTaxRate, type PresetKey, type TaxPresetDetails, TaxRate, type TaxRateChanges } from './tax-schemas.ts';

/** Two decimals at least. */
export const rateText = sql`round(r.rate, greatest(2, min_scale(r.rate)))::text`;

const taxRates = records({
  table: 'tax_rates',
  New: NewTaxRate,
  Row: TaxRate,
  expressions: { rate: rateText },
  notFound: (id) => fail('pricing.tax_rate_not_found', { id }),
  unique: { tax_rates_name: ['name', 'There is a rate with this name, country, state and tax class already.'] },
});

export const taxRateList = list({
  name: 'tax_rates',
  row: TaxRate,
  from: sql`tax_rates r`,
  alias: sql`r`,
  columns: taxRates.columns,
  filters: {
    country: equals(NewTaxRate.properties.country, sql`r.country`),
    tax_class: equals(Type.String({ maxLength: 50 }), sql`r.tax_class`),
    is_active: equals(Type.Boolean(), sql`r.is_active`),
  },
  sorts: { created_at: byTime(sql`r.created_at`), name: byText(sql`r.name`), rate: byNumber(sql`r.rate`) },
});

export const { get: getTaxRate, remove: deleteTaxRate } = taxRates;

/** States are stored as addresses are compared with them. */
const withState = <Fields extends { readonly country: string; readonly state: string | null }>(fields: Fields) => {
  return { ...fields, state: readState(fields.country, fields.state) };
};

export function createTaxRate(ctx: Ctx, input: NewTaxRate): Promise<TaxRate> {
  return taxRates.insert(ctx, withState(input));
}

export async function checkTaxRateChanges(
  ctx: Ctx,
  { id }: Partial<TaxRateChanges>,
  _issues: Issues,
): Promise<TaxRate | undefined> {
  return id === undefined ? undefined : taxRates.lock(ctx, id);
}

export function updateTaxRate(ctx: Ctx, { id: _, ...changes }: TaxRateChanges, current: TaxRate): Promise<TaxRate> {
  return taxRates.update(ctx, current, withState(taxRates.merge(current, changes)));
}

interface Preset {
  readonly since: string;
  readonly source: string;
  readonly needsState: boolean;
  readonly rates: readonly Partial<NewTaxRate & { readonly inShopState: boolean }>[];
}

/** The usual rates of a country; `undefined` if there is no preset for it. */
export function presetRates(country: string, state: string | null): NewTaxRate[] | undefined {
  const preset = (presets as unknown as Readonly<Record<string, Preset>>)[country];
  const defaults = { tax_class: 'standard', priority: 1, includes_shipping: true, is_active: true };
  return preset?.rates.map(({ inShopState, ...rate }) => {
    return { ...defaults, country, state: inShopState ? state : null, ...rate } as NewTaxRate;
  });
}

/** What `addPreset` would add to a shop without rates. */
export function listPresets(): TaxPresetDetails[] {
  return Object.entries(presets as unknown as Readonly<Record<string, Preset>>).map(([country, preset]) => {
    const { since, source, needsState: needs_state } = preset;
    const rates = preset.rates.map(({ name, tax_class, rate, inShopState = false, is_active = true }) => {
      return { name, tax_class, rate, in_shop_state: inShopState, is_active };
    });
    return { country, since, source, needs_state, rates } as TaxPresetDetails;
  });
}

/** Adds the rates that are missing; those that exist are not changed. */
export async function addPreset(ctx: Ctx, { country, state: given }: PresetKey): Promise<{ tax_rates: TaxRate[] }> {
  const state = readState(country, given ?? (await ctx.settings())['pricing.state']);
  if (presets[country].needsState && state === null) {
    throw invalid({ state: { code: 'required', message: 'The state of the shop is required for this country.' } });
  }
  const now = ctx.now();
  const rows = presetRates(country, state)?.map((rate) => {
    return { ...rate, id: ctx.newId(), created_at: now, updated_at: now };
  });
  const tax_rates = await ctx.db.rows<TaxRate>(sql`
    INSERT INTO tax_rates AS r
    SELECT * FROM jsonb_populate_recordset(NULL::tax_rates, ${JSON.stringify(rows)}::jsonb)
    ON CONFLICT DO NOTHING RETURNING ${taxRates.columns}`);
  return { tax_rates };
}
