import { useState } from 'react';
import { useForm } from '../../form.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordStrength } from './password-strength.tsx';
import { countries, currencyOf, currencyOptions, suggestRegion, timeZones } from './region.ts';
import { slugOf } from './slug.ts';

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
  const [organization, setOrganization] = useState('');
  const [slug, setSlug] = useState<string>();
  const [password, setPassword] = useState('');
  const [currency, setCurrency] = useState(suggested.currency);
  const { isBusy, problem, errors, props } = useForm((values) => onSubmit(values as unknown as OwnerValues));
  const id = slug ?? slugOf(organization);
  return (
    <form {...props} className="grid gap-6">
      {problem && <Notice tone="error">{problem}</Notice>}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name of the organization" error={errors.organization_name}>
          {(control) => (
            <Input
              {...control}
              name="organization_name"
              autoComplete="organization"
              value={organization}
              onChange={({ target }) => setOrganization(target.value)}
              required
            />
          )}
        </Field>
        <Field
          label="Id"
          error={errors.organization_slug}
          help={
            <>
              Its address: <span className="break-all text-secondary">{`${id || 'id'}.${location.host}`}</span>. It
              cannot be changed.
            </>
          }
        >
          {(control) => (
            <Input
              {...control}
              name="organization_slug"
              value={id}
              onChange={({ target }) => setSlug(target.value)}
              autoCapitalize="none"
              spellCheck={false}
              required
            />
          )}
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Country" error={errors.country}>
          {(control) => (
            <Select
              {...control}
              name="country"
              defaultValue={suggested.country}
              onChange={({ target }) => setCurrency(currencyOf(target.value) ?? currency)}
            >
              {countries.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Currency" error={errors.currency}>
          {(control) => (
            <Select {...control} name="currency" value={currency} onChange={({ target }) => setCurrency(target.value)}>
              {currencyOptions.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Time zone" error={errors.timezone}>
          {(control) => (
            <Select {...control} name="timezone" defaultValue={suggested.timezone}>
              {!timeZones.some(({ code }) => code === suggested.timezone) && <option>{suggested.timezone}</option>}
              {timeZones.map(({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <div className="grid gap-4 border-t border-line pt-6 sm:grid-cols-2">
        <Field label="Your name" error={errors.name}>
          {(control) => <Input {...control} name="name" autoComplete="name" required />}
        </Field>
        <Field label="Your email" error={errors.email}>
          {(control) => <Input {...control} name="email" type="email" autoComplete="username" required />}
        </Field>
        <Field label="Password" error={errors.password} help={<PasswordStrength password={password} />}>
          {(control) => (
            <Input
              {...control}
              name="password"
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={({ target }) => setPassword(target.value)}
              required
            />
          )}
        </Field>
        <Field label="Repeat the password" error={errors.password_confirmation}>
          {(control) => (
            <Input {...control} name="password_confirmation" type="password" autoComplete="new-password" required />
          )}
        </Field>
      </div>
      <Button type="submit" look="primary" isBusy={isBusy} className="justify-self-start max-sm:w-full">
        Finish and sign in
      </Button>
    </form>
  );
}
