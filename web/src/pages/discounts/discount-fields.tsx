import { pricingLimits } from '@chowk/client';
import { type ReactNode, useRef } from 'react';
import { useMe } from '../../api/use-api.ts';
import type { Form } from '../../form/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { kinds } from './discount-list.ts';
import { type DiscountTexts, generateCode } from './discount-values.ts';
import { TargetChooser } from './target-chooser.tsx';
import { type TargetKind, type Targets, targetKinds } from './targets.ts';

export type DiscountForm = Form<DiscountTexts, 'target_ids'>;

interface DiscountFieldsProps {
  readonly texts: DiscountTexts;
  /** As they are typed. */
  readonly typed: Partial<DiscountTexts>;
  readonly targets: Targets;
  readonly onTargets: (targets: Targets) => void;
  readonly form: Pick<DiscountForm, 'field' | 'errors'>;
  readonly hasFocus?: boolean;
}

export function DiscountFields({ texts, typed, targets, onTargets, form, hasFocus = false }: DiscountFieldsProps) {
  const kind = typed.kind ?? texts.kind;
  const appliesTo = typed.applies_to ?? texts.applies_to;
  const { currency, timezone } = useMe().data ?? {};
  return (
    <>
      <CodeField code={texts.code} form={form} hasFocus={hasFocus} />
      <Field label="Title" {...form.field('title')} help="On the order and the invoice. Without it, the code.">
        {(control) => (
          <Input
            {...control}
            defaultValue={texts.title}
            maxLength={pricingLimits.createDiscount.title}
            autoComplete="off"
          />
        )}
      </Field>
      <div className="grid grid-cols-2 items-start gap-4">
        <Field label="Kind" {...form.field('kind')}>
          {(control) => (
            <Select {...control} defaultValue={texts.kind}>
              {Object.entries(kinds).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {kind !== 'free_shipping' && (
          <Field label={kind === 'percent' ? 'Percent off' : `Amount off in ${currency}`} {...form.field('value')}>
            {(control) => <NumberInput control={control} value={texts.value} />}
          </Field>
        )}
      </div>
      <Group title="Applies to">
        <Select name="applies_to" aria-label="Applies to" defaultValue={texts.applies_to}>
          <option value="all">The whole order</option>
          {Object.entries(targetKinds).map(([value, [, label]]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        {appliesTo !== 'all' && (
          <TargetChooser
            key={appliesTo}
            kind={appliesTo as TargetKind}
            targets={targets[appliesTo as TargetKind]}
            onChange={(chosen) => onTargets({ ...targets, [appliesTo]: chosen })}
            error={form.errors.target_ids && 'Choose at least one.'}
          />
        )}
      </Group>
      <Group title="Conditions">
        <div className="grid grid-cols-2 items-start gap-4">
          <Field label="Minimum amount" {...form.field('minimum_subtotal')} help={`In ${currency}. Optional.`}>
            {(control) => <NumberInput control={control} value={texts.minimum_subtotal} />}
          </Field>
          <Field label="Minimum quantity" {...form.field('minimum_quantity')} help="Units. Optional.">
            {(control) => <NumberInput control={control} value={texts.minimum_quantity} />}
          </Field>
          <Field label="Starts" {...form.field('starts_at')} help="Without it, at once.">
            {(control) => <Input {...control} type="datetime-local" defaultValue={texts.starts_at} />}
          </Field>
          <Field label="Ends" {...form.field('ends_at')} help="Without it, never.">
            {(control) => <Input {...control} type="datetime-local" defaultValue={texts.ends_at} />}
          </Field>
        </div>
        <p className="-mt-1 text-xs text-faint">Times are those of {timezone?.replaceAll('_', ' ')}.</p>
        <Field
          label="Total uses"
          {...form.field('usage_limit')}
          help="Orders that can use the code. Without it, any number."
        >
          {(control) => <NumberInput control={control} value={texts.usage_limit} className="max-w-40" />}
        </Field>
        <div className="grid">
          <Checkbox
            label="Once per customer"
            name="once_per_customer"
            defaultChecked={texts.once_per_customer !== undefined}
          />
          <Checkbox
            label="Can be combined with other codes that allow it"
            name="combines"
            defaultChecked={texts.combines !== undefined}
          />
        </div>
      </Group>
    </>
  );
}

interface CodeFieldProps {
  readonly code: string;
  readonly form: Pick<DiscountForm, 'field'>;
  readonly hasFocus: boolean;
}

function CodeField({ code, form, hasFocus }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const generate = () => {
    if (!input.current) return;
    input.current.value = generateCode();
    // As if it had been typed.
    input.current.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return (
    <Field label="Code" {...form.field('code')} help="Customers enter it in upper or lower case.">
      {(control) => (
        <div className="flex gap-2">
          <Input
            ref={input}
            {...control}
            defaultValue={code}
            maxLength={pricingLimits.createDiscount.code}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            autoFocus={hasFocus}
            className="font-medium"
          />
          <Button onClick={generate}>Generate</Button>
        </div>
      )}
    </Field>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid gap-3 border-t border-line pt-4">
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}

interface NumberInputProps {
  readonly control: object;
  readonly value: string | undefined;
  readonly className?: string;
}

function NumberInput({ control, value, className = '' }: NumberInputProps) {
  return (
    <Input
      {...control}
      defaultValue={value}
      inputMode="decimal"
      autoComplete="off"
      className={`numeric ${className}`}
    />
  );
}
