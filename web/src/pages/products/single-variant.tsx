import { type ProductVariant, productsLimits, type SentVariant } from '@chowk/client';
import { Checkbox, Field, Input } from '../../ui/field.tsx';

/* What a product without options has through its only variant, beside SKU, prices and stock. */

/** The values of the form; a checkbox that is not checked has none. */
export interface SingleTexts {
  readonly barcode?: string;
  readonly weight_grams?: string;
  readonly continue_selling?: string;
  readonly taxable?: string;
}

type SingleFields = Pick<ProductVariant, keyof SingleTexts>;

const newFields: SingleFields = { barcode: null, weight_grams: null, continue_selling: false, taxable: true };

export function readSingle({ barcode, weight_grams, continue_selling, taxable }: SingleFields): SingleFields {
  return { barcode, weight_grams, continue_selling, taxable };
}

/** What the platform takes, of the fields that differ from those of the variant. */
export function toSingleInput(texts: SingleTexts, variant: SingleFields = newFields): SentVariant {
  const weight = texts.weight_grams?.trim() ?? '';
  const next = {
    barcode: texts.barcode?.trim() || null,
    // What is no number is reported by the platform.
    weight_grams: weight === '' ? null : /^\d+$/.test(weight) ? Number(weight) : (weight as unknown as number),
    continue_selling: texts.continue_selling !== undefined,
    taxable: texts.taxable !== undefined,
  };
  const names = Object.keys(next) as (keyof SingleFields)[];
  const changed = names.filter((name) => next[name] !== variant[name]);
  return Object.fromEntries(changed.map((name) => [name, next[name]]));
}

interface SingleVariantFieldsProps {
  readonly variant?: SingleFields | undefined;
  readonly errors: Readonly<Partial<Record<string, string>>>;
}

export function SingleVariantFields({ variant = newFields, errors }: SingleVariantFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-3">
      <Field label="Barcode" name="barcode" error={errors['variants.0.barcode']}>
        {(control) => (
          <Input
            {...control}
            maxLength={productsLimits.addVariant.barcode}
            defaultValue={variant.barcode ?? ''}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="Weight in grams" name="weight_grams" error={errors['variants.0.weight_grams']}>
        {(control) => (
          <Input {...control} inputMode="numeric" defaultValue={variant.weight_grams ?? ''} className="numeric" />
        )}
      </Field>
      <Checkbox label="Sell when out of stock" name="continue_selling" defaultChecked={variant.continue_selling} />
      <Checkbox label="Charge tax" name="taxable" defaultChecked={variant.taxable} />
    </div>
  );
}
