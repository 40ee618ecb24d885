import { type RefObject, useEffect, useRef } from 'react';
import { countries, countryCurrency, currencyOptions, suggestRegion } from '../../address/region.ts';
import { PasswordStrength } from '../../form/password-strength.tsx';
import { useTypedValues } from '../../form/typed-values.ts';
import { useForm } from '../../form/use-form.ts';
import { countryTimeZones } from '../../time/time-zones.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { TimeZoneSelect } from '../../ui/time-zone-select.tsx';
import { suggestSlug } from './slug.ts';

export interface OwnerValues {
  readonly organization_name: string;
  readonly organization_slug: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly password_confirmation: string;
  readonly country: string;
  readonly currency: string;
  readonly timezone: string;
}

const suggested = suggestRegion();

export function OwnerForm({ onSubmit }: { readonly onSubmit: (values: OwnerValues) => Promise<void> }) {
  const { isBusy, problem, field, ...form } = useForm<OwnerValues>(onSubmit, {
    draft: 'install',
  });
  const { typed, props } = useTypedValues<OwnerValues>(form.props);
  const name = useRef<HTMLInputElement>(null);
  const slug = useRef<HTMLInputElement>(null);
  const suggestId = useSuggestedId(name, slug);
  return (
    <form {...props} className="grid gap-6">
      {problem && <Notice tone="error">{problem}</Notice>}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name of the organization" {...field('organization_name')}>
          {(control) => <Input {...control} ref={name} autoComplete="organization" onInput={suggestId} required />}
        </Field>
        <Field
          label="ID"
          {...field('organization_slug')}
          help={
            <>
              Its address:{' '}
              <span className="break-all text-secondary">{`${typed.organization_slug || 'id'}.${location.host}`}</span>.
              Lower-case letters, digits and hyphens. It cannot be changed.
            </>
          }
        >
          {(control) => <Input {...control} ref={slug} autoCapitalize="none" spellCheck={false} required />}
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Country" {...field('country')}>
          {(control) => (
            <Select
              {...control}
              defaultValue={suggested.country}
              onInput={({ currentTarget: { form, value } }) => {
                const zones = countryTimeZones(value);
                suggest(form, 'currency', (current) => countryCurrency(value) ?? current);
                suggest(form, 'timezone', (current) => (zones.includes(current) ? current : (zones[0] ?? current)));
              }}
            >
              {countries.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Currency" {...field('currency')}>
          {(control) => (
            <Select {...control} defaultValue={suggested.currency}>
              {currencyOptions.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Time zone" {...field('timezone')}>
          {(control) => <TimeZoneSelect {...control} defaultValue={suggested.timezone} />}
        </Field>
      </div>
      <div className="grid gap-4 border-t border-line pt-6 sm:grid-cols-2">
        <Field label="Your name" {...field('name')}>
          {(control) => <Input {...control} autoComplete="name" required />}
        </Field>
        <Field label="Your email" {...field('email')}>
          {(control) => <Input {...control} type="email" autoComplete="username" required />}
        </Field>
        <Field label="Password" {...field('password')} help={<PasswordStrength password={typed.password ?? ''} />}>
          {(control) => <PasswordInput {...control} autoComplete="new-password" required />}
        </Field>
        <Field label="Repeat the password" {...field('password_confirmation')}>
          {(control) => <PasswordInput {...control} autoComplete="new-password" required />}
        </Field>
      </div>
      <Button type="submit" variant="primary" isBusy={isBusy} className="justify-self-start max-sm:w-full">
        Finish and sign in
      </Button>
    </form>
  );
}

/** What the country suggests for another choice. */
function suggest(form: HTMLFormElement | null, name: string, next: (current: string) => string): void {
  const select = form?.elements.namedItem(name);
  if (select instanceof HTMLSelectElement) select.value = next(select.value);
}

/** Keeps the id in step with the name, until the user types another one. */
function useSuggestedId(
  name: RefObject<HTMLInputElement | null>,
  slug: RefObject<HTMLInputElement | null>,
): () => void {
  const last = useRef('');
  useEffect(() => {
    // What was restored.
    void suggestSlug(name.current?.value ?? '').then((suggestion) => {
      last.current ||= suggestion;
    });
  }, [name]);
  return () => {
    const text = name.current?.value ?? '';
    void suggestSlug(text).then((suggestion) => {
      if (!slug.current || name.current?.value !== text) return;
      if (slug.current.value === '' || slug.current.value === last.current) {
        slug.current.value = suggestion;
        // As if it had been typed: the form keeps it and shows the address.
        slug.current.dispatchEvent(new Event('input', { bubbles: true }));
      }
      last.current = suggestion;
    });
  };
}
