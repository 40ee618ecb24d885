import { type ProductVariant, productsLimits, type SentVariant } from '@chowk/client';
import { Checkbox, Field, Input } from '../../ui/field.tsx';
import { TaxClasses, taxClassesId } from './tax-classes.tsx';
import { standardTaxClass } from './variant-draft.ts';

/* What a product without options has through its only variant, beside SKU, prices and stock. */

type SingleName = 'barcode' | 'weight_grams' | 'continue_selling' | 'taxable' | 'tax_class' | 'tax_code';

/** Under which the platform reports errors. */
const fieldName = <Name extends SingleName>(name: Name) => `variants.0.${name}` as const;

/** The values of the form; a checkbox that is not checked has none. */
export type SingleTexts = { readonly [Name in SingleName as `variants.0.${Name}`]?: string };

type SingleFields = Pick<ProductVariant, SingleName>;

const newFields: SingleFields = {
  barcode: null,
  weight_grams: null,
  continue_selling: false,
  taxable: true,
  tax_class: standardTaxClass,
  tax_code: null,
};

export function readSingle(variant: SingleFields): SingleFields {
  const { barcode, weight_grams, continue_selling, taxable, tax_class, tax_code } = variant;
  return { barcode, weight_grams, continue_selling, taxable, tax_class, tax_code };
}

/** What the platform takes, of the fields that differ from those of the variant. */
export function toSingleInput(texts: SingleTexts, variant: SingleFields = newFields): SentVariant {
  const weight = texts[fieldName('weight_grams')]?.trim() ?? '';
  const next = {
    barcode: texts[fieldName('barcode')]?.trim() || null,
    // What is no number is reported by the platform.
    weight_grams: weight === '' ? null : /^\d+$/.test(weight) ? Number(weight) : (weight as unknown as number),
    continue_selling: texts[fieldName('continue_selling')] !== undefined,
    taxable: texts[fieldName('taxable')] !== undefined,
    tax_class: texts[fieldName('tax_class')]?.trim() || standardTaxClass,
    tax_code: texts[fieldName('tax_code')]?.trim() || null,
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
  const field = (name: SingleName) => ({ name: fieldName(name), error: errors[fieldName(name)] });
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-3">
      <Field label="Barcode" {...field('barcode')}>
        {(control) => (
          <Input
            {...control}
            maxLength={productsLimits.addVariant.barcode}
            defaultValue={variant.barcode ?? ''}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="Weight in grams" {...field('weight_grams')}>
        {(control) => (
          <Input {...control} inputMode="numeric" defaultValue={variant.weight_grams ?? ''} className="numeric" />
        )}
      </Field>
      <Field label="Tax class" {...field('tax_class')} help="Which of your tax rates apply.">
        {(control) => (
          <Input
            {...control}
            maxLength={productsLimits.addVariant.tax_class}
            defaultValue={variant.tax_class === standardTaxClass ? '' : variant.tax_class}
            placeholder={standardTaxClass}
            list={taxClassesId}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="Tax code" {...field('tax_code')} help="Such as HSN. Printed on invoices.">
        {(control) => (
          <Input
            {...control}
            maxLength={productsLimits.addVariant.tax_code}
            defaultValue={variant.tax_code ?? ''}
            autoComplete="off"
          />
        )}
      </Field>
      <Checkbox
        label="Sell when out of stock"
        name={fieldName('continue_selling')}
        defaultChecked={variant.continue_selling}
      />
      <Checkbox label="Charge tax" name={fieldName('taxable')} defaultChecked={variant.taxable} />
      <TaxClasses />
    </div>
  );
}
