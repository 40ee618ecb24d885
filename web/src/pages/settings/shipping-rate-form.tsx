import { type NewShippingRate, pricingLimits, type ShippingRate } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useMe } from '../../api/use-api.ts';
import { clearDraft } from '../../form/draft.ts';
import { submit } from '../../form/submission.ts';
import { type Form, useForm } from '../../form/use-form.ts';
import { plainAmount } from '../../format/amount.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface Values {
  readonly name: string;
  readonly price: string;
  readonly minimum_weight: string;
  readonly maximum_weight: string;
  readonly minimum_total: string;
  readonly maximum_total: string;
  readonly free_above: string;
  readonly is_active?: string;
}

interface ShippingRateFormProps {
  readonly zoneId: string;
  /** `undefined` for a new one. */
  readonly rate: ShippingRate | undefined;
  readonly onClose: () => void;
}

export function ShippingRateForm({ zoneId, rate, onClose }: ShippingRateFormProps) {
  const draft = `shipping-rate.${rate?.id ?? zoneId}`;
  const currency = useMe().data?.currency;
  const refetch = useRefetch();
  const form = useForm<Values>(
    async (values) => {
      const fields = readRate(values, zoneId);
      const { shipping_rate } = rate
        ? await api().pricing.updateShippingRate({ id: rate.id, ...fields })
        : await submit(draft, api().pricing.createShippingRate, fields);
      clearDraft(draft);
      toast(`${shipping_rate.name} saved.`);
      onClose();
      await refetch(keys.pricing.shipping);
    },
    { draft },
  );
  useKeys([{ key: 'Escape', label: 'Stop editing', run: onClose }]);
  const number = (label: string, name: keyof Values & keyof ShippingRate, help?: string) => (
    <NumberField label={label} name={name} help={help} rate={rate} form={form} />
  );
  return (
    <form
      {...form.props}
      aria-label={rate ? `Edit ${rate.name}` : 'New rate'}
      className="grid gap-4 rounded-panel bg-sunken p-4"
    >
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Name" {...form.field('name')} help="Customers see it, such as Standard or Express.">
        {(control) => (
          <Input
            {...control}
            defaultValue={rate?.name}
            maxLength={pricingLimits.createShippingRate.name}
            autoComplete="off"
            autoFocus
          />
        )}
      </Field>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {number(`Price in ${currency}`, 'price', '0 is free.')}
        {number('Free from a total of', 'free_above', 'Optional.')}
      </div>
      <fieldset className="grid gap-3">
        <legend className="mb-2 text-sm text-secondary">Only for orders within these limits; empty is no limit.</legend>
        <div className="grid grid-cols-2 items-start gap-4">
          {number('Weight from, in g', 'minimum_weight')}
          {number('Weight up to, in g', 'maximum_weight')}
          {number('Total from', 'minimum_total')}
          {number('Total up to', 'maximum_total')}
        </div>
      </fieldset>
      <Checkbox label="Offered to customers" name="is_active" defaultChecked={rate?.is_active ?? true} />
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

interface NumberFieldProps {
  readonly label: string;
  readonly name: keyof Values & keyof ShippingRate;
  readonly help: string | undefined;
  readonly rate: ShippingRate | undefined;
  readonly form: Pick<Form<Values>, 'field'>;
}

function NumberField({ label, name, help, rate, form }: NumberFieldProps) {
  return (
    <Field label={label} help={help} {...form.field(name)}>
      {(control) => (
        <Input
          {...control}
          defaultValue={String(rate?.[name] ?? '')}
          inputMode="decimal"
          autoComplete="off"
          className="numeric"
        />
      )}
    </Field>
  );
}

/** What is not a number is sent as it is, and refused with a reason. */
function readRate(values: Values, zone_id: string): NewShippingRate {
  const grams = (text: string) => {
    const typed = text.trim();
    if (typed === '') return null;
    return /^\d+$/.test(typed) ? Number(typed) : (typed as unknown as number);
  };
  const amount = (text: string) => plainAmount(text) || null;
  return {
    zone_id,
    name: values.name.trim(),
    price: plainAmount(values.price),
    minimum_weight: grams(values.minimum_weight),
    maximum_weight: grams(values.maximum_weight),
    minimum_total: amount(values.minimum_total),
    maximum_total: amount(values.maximum_total),
    free_above: amount(values.free_above),
    is_active: values.is_active !== undefined,
  };
}
