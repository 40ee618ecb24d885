import type { ApiClient } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { chosenPermissions, PermissionFields, type PermissionValues } from '../../permissions/permission-fields.tsx';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { isPasswordMissing, PasswordField } from '../account/password-field.tsx';

interface ClientInput {
  readonly name: string;
  readonly scopes: string[];
  readonly password?: string;
}

interface NewApiClientFormProps {
  readonly onCancel: () => void;
  readonly onCreated: (client: ApiClient, secret: string) => void;
}

export function NewApiClientForm({ onCancel, onCreated }: NewApiClientFormProps) {
  const refetch = useRefetch();
  return (
    <Fields
      draft="api-client.new"
      action="Create API client"
      onCancel={onCancel}
      send={async (input) => {
        const { api_client, client_secret } = await api().apiClients.create(input);
        onCreated(api_client, client_secret);
        await refetch(keys.apiClients);
      }}
    />
  );
}

interface ApiClientFormProps {
  readonly client: ApiClient;
  readonly onClose: () => void;
}

export function ApiClientForm({ client, onClose }: ApiClientFormProps) {
  const refetch = useRefetch();
  const { id } = client;
  return (
    <Fields
      draft={`api-client.${id}`}
      client={client}
      action="Save"
      onCancel={onClose}
      send={async (input) => {
        const { api_client } = await api().apiClients.update({ id, ...input });
        toast(`${api_client.name} saved.`);
        onClose();
        await refetch(keys.apiClients);
      }}
    />
  );
}

interface Values extends PermissionValues {
  readonly name: string;
  /** Only if it is asked for. */
  readonly password?: string;
}

interface FieldsProps {
  readonly draft: string;
  readonly client?: ApiClient;
  readonly action: string;
  readonly onCancel: () => void;
  readonly send: (input: ClientInput) => Promise<void>;
}

/** A client never has more rights than its maker. */
function Fields({ draft, client, action, onCancel, send }: FieldsProps) {
  const { data: me } = useMe();
  const [isPasswordAsked, setPasswordAsked] = useState(false);
  const { isBusy, problem, errors, field, props, discard } = useForm<Values, 'scopes'>(
    async (values) => {
      const { name, password } = values;
      try {
        await send({ name, scopes: chosenPermissions(values), ...(password !== undefined && { password }) });
      } catch (error) {
        if (isPasswordMissing(error)) setPasswordAsked(true);
        throw error;
      }
    },
    { draft },
  );
  return (
    <form {...props} className="grid gap-4 rounded-panel border border-line bg-surface p-4 sm:p-5">
      {problem && <Notice tone="error">{problem}</Notice>}
      <Field label="Name" help="The program that will use it." {...field('name')}>
        {(control) => (
          <Input {...control} defaultValue={client?.name} placeholder="Shop window" maxLength={255} autoFocus />
        )}
      </Field>
      <PermissionFields
        name="scopes"
        offered={[...new Set([...(me?.permissions ?? []), ...(client?.scopes ?? [])])]}
        chosen={client?.scopes ?? []}
        error={errors.scopes && 'Choose at least one permission.'}
      />
      {isPasswordAsked && <PasswordField {...field('password')} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {action}
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
