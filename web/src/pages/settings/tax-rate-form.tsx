import { type NewTaxRate, pricingLimits, type TaxRate } from '@chowk/client';
import { useEffect, useEffectEvent } from 'react';
import { countries } from '../../address/region.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { clearDraft } from '../../form/draft.ts';
import { submit } from '../../form/submission.ts';
import { useTypedValues } from '../../form/typed-values.ts';
import { useForm } from '../../form/use-form.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { StateControl } from './states.tsx';
import type { EditedRate } from './tax-example.ts';

interface Values {
  readonly name: string;
  readonly rate: string;
  readonly country: string;
  readonly state: string;
  readonly tax_class: string;
  readonly priority: string;
  readonly includes_shipping?: string;
  readonly is_active?: string;
}

interface TaxRateFormProps {
  /** `undefined` for a new one. */
  readonly rate: TaxRate | undefined;
  /** The country of a new one. */
  readonly country: string;
  readonly classes: readonly string[];
  /** As it is typed. */
  readonly onEdited: (rate: EditedRate) => void;
  readonly onClose: () => void;
}

export function TaxRateForm({ rate, country, classes, onEdited, onClose }: TaxRateFormProps) {
  const draft = `tax-rate.${rate?.id ?? 'new'}`;
  const refetch = useRefetch();
  const form = useForm<Values>(
    async (values) => {
      const fields = readRate(values);
      const { tax_rate } = rate
        ? await api().pricing.updateTaxRate({ id: rate.id, ...fields })
        : await submit(draft, api().pricing.createTaxRate, fields);
      clearDraft(draft);
      toast(`${tax_rate.name} saved.`);
      onClose();
      await refetch(keys.pricing.taxRates);
    },
    { draft },
  );
  const { typed, props } = useTypedValues<Values>(form.props);
  const report = useEffectEvent((values: Partial<Values>) => {
    if (values.country !== undefined) onEdited({ ...readRate(values as Values), id: rate?.id ?? 'new' } as EditedRate);
  });
  useEffect(() => report(typed), [typed]);
  useKeys([{ key: 'Escape', label: 'Stop editing', run: onClose }]);
  return (
    <form {...props} className="grid gap-4 rounded-panel bg-sunken p-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field label="Name" {...form.field('name')} help="As on the invoice, such as CGST or VAT.">
          {(control) => (
            <Input
              {...control}
              defaultValue={rate?.name}
              maxLength={pricingLimits.createTaxRate.name}
              autoComplete="off"
              autoFocus
            />
          )}
        </Field>
        <Field label="Rate in percent" {...form.field('rate')}>
          {(control) => (
            <Input
              {...control}
              defaultValue={rate && String(Number(rate.rate))}
              inputMode="decimal"
              autoComplete="off"
              className="numeric"
            />
          )}
        </Field>
        <Field label="Country" {...form.field('country')}>
          {(control) => (
            <Select {...control} defaultValue={rate?.country ?? country}>
              {countries.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="State" {...form.field('state')}>
          {(control) => (
            <StateControl
              {...control}
              country={typed.country ?? rate?.country ?? country}
              defaultValue={rate?.state ?? ''}
              none="Whole country"
            />
          )}
        </Field>
        <Field label="Class" {...form.field('tax_class')} help="Products of this class are taxed with it.">
          {(control) => (
            <>
              <Input
                {...control}
                defaultValue={rate?.tax_class ?? 'standard'}
                maxLength={pricingLimits.createTaxRate.tax_class}
                list={`${control.id}-classes`}
                autoComplete="off"
              />
              <datalist id={`${control.id}-classes`}>
                {classes.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field
          label="Priority"
          {...form.field('priority')}
          help="A rate for a state replaces that for its country with the same priority."
        >
          {(control) => (
            <Input
              {...control}
              defaultValue={rate?.priority ?? 1}
              inputMode="numeric"
              autoComplete="off"
              className="numeric"
            />
          )}
        </Field>
      </div>
      <div className="flex flex-wrap gap-x-6">
        <Checkbox label="Also on shipping" name="includes_shipping" defaultChecked={rate?.includes_shipping ?? true} />
        <Checkbox label="In use" name="is_active" defaultChecked={rate?.is_active ?? true} />
      </div>
      <div className="flex gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          {rate ? 'Save rate' : 'Add rate'}
        </Button>
        <Button
          variant="quiet"
          onClick={() => {
            form.discard();
            onClose();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What is not a number is sent as it is, and refused with a reason. */
function readRate(values: Values): NewTaxRate {
  const { name, rate, country, state, tax_class, priority, includes_shipping, is_active } = values;
  const typed = priority.trim();
  return {
    name: name.trim(),
    rate: rate.replace('%', '').trim(),
    country,
    state: state.trim() || null,
    tax_class: tax_class.trim(),
    priority: /^\d+$/.test(typed) ? Number(typed) : (typed as unknown as number),
    includes_shipping: includes_shipping !== undefined,
    is_active: is_active !== undefined,
  };
}
