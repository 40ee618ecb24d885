import { useState } from 'react';
import { affectedByTokens } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { chosenPermissions, PermissionFields, type PermissionValues } from '../../permissions/permission-fields.tsx';
import { api } from '../../session/session.ts';
import { endOfDay } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { isPasswordMissing, PasswordField } from './password-field.tsx';

const dayMs = 24 * 3_600_000;

interface Values extends PermissionValues {
  readonly name: string;
  readonly access: 'some' | 'all';
  readonly expiry: string;
  readonly expires_at: string;
  /** Only if it is asked for. */
  readonly password?: string;
}

interface NewTokenFormProps {
  readonly onCancel: () => void;
  readonly onCreated: (token: { readonly name: string; readonly secret: string }) => void;
}

/** The fields of a choice are shown by style sheet (`group-has`), so that those of a restored draft are shown too. */
export function NewTokenForm({ onCancel, onCreated }: NewTokenFormProps) {
  const { data: me } = useMe();
  const refetch = useRefetch();
  const [isPasswordAsked, setPasswordAsked] = useState(false);
  const { isBusy, problem, errors, field, props, discard } = useForm<Values, 'scopes'>(
    async (values) => {
      const input = {
        name: values.name,
        scopes: values.access === 'all' ? ['*'] : chosenPermissions(values),
        ...tokenExpiry(values),
      };
      const confirmation = values.password === undefined ? {} : { password: values.password };
      try {
        const { token, access_token } = await api().profile.createToken({ ...input, ...confirmation });
        onCreated({ name: token.name, secret: access_token });
        await refetch(...affectedByTokens);
      } catch (error) {
        if (isPasswordMissing(error)) setPasswordAsked(true);
        throw error;
      }
    },
    { draft: `token.${me?.id}` },
  );
  const scopeError = errors.scopes
    ? 'Choose at least one permission.'
    : Object.entries(errors).find(([field]) => field.startsWith('scopes.'))?.[1];
  return (
    <form {...props} className="group grid gap-4 rounded-panel border border-line bg-surface p-4 sm:p-5">
      {problem && <Notice tone="error">{problem}</Notice>}
      <Field label="Name" help="The program that will use it." {...field('name')}>
        {(control) => <Input {...control} placeholder="Nightly export" autoFocus required />}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Access" {...field('access')}>
          {(control) => (
            <Select {...control}>
              <option value="some">Only what you choose</option>
              <option value="all">Everything that you may do</option>
            </Select>
          )}
        </Field>
        <Field label="Expires" {...field('expiry')}>
          {(control) => (
            <Select {...control} defaultValue="90">
              <option value="30">In 30 days</option>
              <option value="90">In 90 days</option>
              <option value="365">In a year</option>
              <option value="date">On a date</option>
              <option value="never">Never</option>
            </Select>
          )}
        </Field>
      </div>
      <div className="hidden group-has-[option[value=date]:checked]:block">
        <Field label="Last day" {...field('expires_at')}>
          {(control) => <Input {...control} type="date" className="sm:max-w-48" />}
        </Field>
      </div>
      <PermissionFields
        name="scopes"
        offered={me?.permissions ?? []}
        error={scopeError}
        className="hidden group-has-[option[value=some]:checked]:grid"
      />
      {isPasswordAsked && <PasswordField {...field('password')} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Create token
        </Button>
        <Button
          variant="quiet"
          onClick={() => {
            discard();
            onCancel();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}

function tokenExpiry({ expiry, expires_at }: Values): { readonly expires_at?: string } {
  if (expiry === 'never') return {};
  if (expiry !== 'date') return { expires_at: new Date(Date.now() + Number(expiry) * dayMs).toISOString() };
  // An empty one is reported by the platform.
  return { expires_at: expires_at === '' ? '' : endOfDay(expires_at) };
}
