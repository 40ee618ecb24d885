import { changesBetween, extend, ImportReport, named, type Static, Type } from '@chowk/kit';
import type { Edit, Fields } from './save.ts';
import { pickState } from './variant-plan.ts';

export const maxListedChanges = 200;

const FieldChange = Type.Object({
  field: Type.String({ description: 'The name of a field, for a variant after its SKU.', examples: ['price'] }),
  before: Type.String({ examples: ['199.65'] }),
  after: Type.String({ examples: ['210.00'] }),
});

export const ImportPreview = named(
  'ImportPreview',
  extend(ImportReport, {
    changes: Type.Array(
      Type.Object({
        sku: Type.String(),
        title: Type.String({ description: 'The title before the import.' }),
        fields: Type.Array(FieldChange),
      }),
      { description: `What would change in products that exist, of the first ${maxListedChanges}.` },
    ),
  }),
);
export type ImportPreview = Static<typeof ImportPreview>;

type ProductChanges = ImportPreview['changes'][number];

/** What an edit would change, as texts. */
export function describeEdit({ current, fields, variants }: Edit): ProductChanges {
  const own = Object.entries(changesBetween<Fields>(current, fields)).map(([field, values]) => toTexts(field, values));
  const known = new Map(variants?.current.map((variant) => [variant.id, variant]));
  const ofVariants = (variants?.next ?? []).flatMap((state) => {
    const before = known.get(state.id ?? '');
    if (!before) return [{ field: state.sku, before: '', after: 'new variant' }];
    const changed = changesBetween<object>(pickState(before), pickState(state));
    return Object.entries(changed).map(([field, values]) => toTexts(`${before.sku}: ${field}`, values));
  });
  return { sku: current.sku, title: current.title, fields: [...own, ...ofVariants] };
}

function toTexts(field: string, [before, after]: readonly [unknown, unknown]) {
  return { field, before: toText(before), after: toText(after) };
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
