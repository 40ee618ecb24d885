import { type CustomerDetail, customersLimits } from '@chowk/client';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../../api/use-api.ts';
import type { Form } from '../../form/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';

export interface CustomerValues {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
  readonly notes: string;
  readonly accepts_marketing?: 'on';
}

/** The fields of the form as the API takes them; an empty field is none. */
export function readCustomer(values: CustomerValues) {
  const text = (name: Exclude<keyof CustomerValues, 'accepts_marketing'>) => values[name].trim() || null;
  return {
    first_name: text('first_name'),
    last_name: text('last_name'),
    email: text('email'),
    phone: text('phone'),
    notes: text('notes'),
    accepts_marketing: values.accepts_marketing === 'on',
  };
}

const limits = customersLimits.create;

interface CustomerFormProps {
  readonly form: Form<CustomerValues>;
  /** What the fields have at first. */
  readonly customer?: CustomerDetail;
  readonly phoneHelp?: string | undefined;
  readonly submit: string;
  readonly onCancel: () => void;
  /** Between the fields and the buttons. */
  readonly children?: ReactNode;
}

export function CustomerForm({ form, customer, phoneHelp, submit, onCancel, children }: CustomerFormProps) {
  const { field } = form;
  return (
    <form {...form.props} className="grid gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="First name" {...field('first_name')}>
          {(control) => (
            <Input
              {...control}
              maxLength={limits.first_name}
              autoComplete="off"
              autoFocus
              defaultValue={customer?.first_name ?? ''}
            />
          )}
        </Field>
        <Field label="Last name" {...field('last_name')}>
          {(control) => (
            <Input
              {...control}
              maxLength={limits.last_name}
              autoComplete="off"
              defaultValue={customer?.last_name ?? ''}
            />
          )}
        </Field>
      </div>
      <Field
        label="Phone"
        {...field('phone')}
        help={phoneHelp}
        aside={form.taken.includes('phone') && <TakenLink field="phone" />}
      >
        {(control) => <Input {...control} type="tel" autoComplete="off" defaultValue={customer?.phone ?? ''} />}
      </Field>
      <Field label="Email" {...field('email')} aside={form.taken.includes('email') && <TakenLink field="email" />}>
        {(control) => <Input {...control} type="email" autoComplete="off" defaultValue={customer?.email ?? ''} />}
      </Field>
      <Field label="Notes" {...field('notes')} help="Only your team sees them.">
        {(control) => <TextArea {...control} rows={4} maxLength={limits.notes} defaultValue={customer?.notes ?? ''} />}
      </Field>
      <Checkbox
        name={field('accepts_marketing').name}
        label="Accepts marketing"
        defaultChecked={customer?.accepts_marketing}
      />
      {children}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          {submit}
        </Button>
        <Button
          onClick={() => {
            form.discard();
            onCancel();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Leads to the customer who has the phone or email that was typed. */
function TakenLink({ field: name }: { readonly field: 'phone' | 'email' }) {
  const can = useCan();
  const navigate = useNavigate();
  // Others cannot search for it.
  if (!can('customers.view_sensitive')) return null;
  return (
    <button
      type="button"
      className="text-sm text-accent underline underline-offset-4"
      onClick={({ currentTarget }) => {
        const field = currentTarget.form?.elements.namedItem(name);
        if (field instanceof HTMLInputElement) void navigate({ to: '/customers', search: { search: field.value } });
      }}
    >
      Show that customer
    </button>
  );
}
