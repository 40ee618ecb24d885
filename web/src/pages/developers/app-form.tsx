import type { App } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { chosenPermissions, PermissionFields, type PermissionValues } from '../../permissions/permission-fields.tsx';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { isPasswordMissing, PasswordField } from '../account/password-field.tsx';

interface Values extends PermissionValues {
  readonly name: string;
  /** One per line. */
  readonly redirect_uris: string;
  readonly acts_as?: string;
  readonly has_secret?: 'on';
  readonly password?: string;
}

interface AppFormProps {
  /** Absent: a new one. */
  readonly app?: App;
  readonly onClose: () => void;
  readonly onSaved: (app: App, secret: string | null) => void;
}

/** Who registers an app need not hold its permissions: those who connect it do. */
export function AppForm({ app, onClose, onSaved }: AppFormProps) {
  const { data: me } = useMe();
  const refetch = useRefetch();
  const [isPasswordAsked, setPasswordAsked] = useState(false);
  const send = async (values: Values) => {
    const { name, password, acts_as, has_secret } = values;
    const redirect_uris = values.redirect_uris.split('\n').flatMap((line) => line.trim() || []);
    const input = {
      name,
      redirect_uris,
      scopes: chosenPermissions(values),
      ...(password !== undefined && { password }),
    };
    if (app) {
      const saved = await api().apps.update({ id: app.id, ...input });
      onSaved(saved.app, null);
    } else {
      const actsAs = acts_as === 'organization' ? 'organization' : 'user';
      const made = await api().apps.create({ ...input, acts_as: actsAs, has_secret: has_secret === 'on' });
      onSaved(made.app, made.client_secret);
    }
    await refetch(keys.apps.registered);
  };
  const { isBusy, problem, errors, field, props, discard } = useForm<Values, 'scopes'>(
    async (values) => {
      try {
        await send(values);
      } catch (error) {
        if (isPasswordMissing(error)) setPasswordAsked(true);
        throw error;
      }
    },
    { draft: `app.${app?.id ?? 'new'}` },
  );
  return (
    <form {...props} className="grid gap-4 rounded-panel border border-line bg-surface p-4 sm:p-5">
      {problem && <Notice tone="error">{problem}</Notice>}
      <Field label="Name" help="Shown to those whom it asks for access." {...field('name')}>
        {(control) => <Input {...control} defaultValue={app?.name} maxLength={255} autoFocus />}
      </Field>
      <Field
        label="Redirect URIs"
        help="One per line. Where people return to after they decide; must match exactly."
        {...field('redirect_uris')}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            defaultValue={app?.redirect_uris.join('\n')}
            placeholder="https://app.example.com/callback"
            spellCheck={false}
          />
        )}
      </Field>
      {!app && (
        <>
          <Field label="Acts" {...field('acts_as')}>
            {(control) => (
              <Select {...control} defaultValue="user">
                <option value="user">as the person who connects it</option>
                <option value="organization">for the whole organization</option>
              </Select>
            )}
          </Field>
          <Checkbox name="has_secret" label="It runs on a server and can keep a secret" />
        </>
      )}
      <PermissionFields
        name="scopes"
        offered={[...new Set([...(me?.permissions ?? []), ...(app?.scopes ?? [])])]}
        chosen={app?.scopes ?? []}
        error={errors.scopes && 'Choose at least one permission.'}
      />
      {isPasswordAsked && <PasswordField {...field('password')} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {app ? 'Save' : 'Register app'}
        </Button>
        <Button
          variant="quiet"
          onClick={() => {
            discard();
            onClose();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}
