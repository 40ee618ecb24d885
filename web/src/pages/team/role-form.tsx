import type { Role } from '@chowk/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useMe } from '../../api/use-api.ts';
import { clearDraft } from '../../form/draft.ts';
import { submit } from '../../form/submission.ts';
import { type Form, useForm } from '../../form/use-form.ts';
import { chosenPermissions, PermissionFields, type PermissionValues } from '../../permissions/permission-fields.tsx';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { toast } from '../../ui/toast.tsx';

interface Values extends PermissionValues {
  readonly name: string;
  readonly description: string;
}

function toInput(values: Values) {
  const { name, description } = values;
  return { name, description, permissions: chosenPermissions(values) };
}

interface NewRoleFormProps {
  /** The role whose permissions it begins with. */
  readonly original?: Role;
}

export function NewRoleForm({ original }: NewRoleFormProps) {
  const draft = `role.new${original ? `.${original.id}` : ''}`;
  const navigate = useNavigate();
  const refetch = useRefetch();
  const form = useForm<Values, 'permissions'>(
    async (values) => {
      const { role } = await submit(draft, api().roles.create, toInput(values));
      toast(`Role ${role.name} created.`);
      void refetch(keys.team.roles);
      await navigate({ to: '/team/roles/$id', params: { id: String(role.id) } });
    },
    { draft },
  );
  return (
    <form {...form.props} className="grid gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <RoleFields form={form} permissions={original?.permissions} hasFocus />
      <div className="flex justify-end border-t border-line pt-4">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Create role
        </Button>
      </div>
    </form>
  );
}

/** An own role, edited where it is shown. */
export function RoleForm({ role }: { readonly role: Role }) {
  const { id } = role;
  const draft = `role.${id}`;
  const refetch = useRefetch();
  const [isChanged, setChanged] = useState(false);
  const form = useForm<Values, 'permissions'>(
    async (values) => {
      const { role: saved } = await api().roles.update({ id, ...toInput(values) });
      // Before the form is shown again with what has been saved.
      clearDraft(draft);
      setChanged(false);
      toast(`Role ${saved.name} saved.`);
      await refetch(keys.team.all, keys.me);
    },
    { draft },
  );
  return (
    <form
      {...form.props}
      onInput={(event) => {
        form.props.onInput(event);
        setChanged(true);
      }}
      className="grid gap-4"
    >
      {form.isRestored && !isChanged && <Notice>Your unsaved changes were restored.</Notice>}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <RoleFields form={form} name={role.name} description={role.description} permissions={role.permissions} />
      {(isChanged || form.isRestored) && (
        <SaveBar
          isBusy={form.isBusy}
          onDiscard={() => {
            form.discard();
            setChanged(false);
          }}
        />
      )}
    </form>
  );
}

interface RoleFieldsProps {
  readonly form: Form<Values, 'permissions'>;
  readonly name?: string;
  readonly description?: string;
  readonly permissions?: readonly string[] | undefined;
  readonly hasFocus?: boolean;
}

/** Only permissions that the user holds can be given. */
function RoleFields({ form, name, description, permissions = [], hasFocus = false }: RoleFieldsProps) {
  const { data: me } = useMe();
  return (
    <>
      <Field label="Name" {...form.field('name')}>
        {(control) => (
          <Input {...control} defaultValue={name} placeholder="Cashier" autoFocus={hasFocus} maxLength={255} />
        )}
      </Field>
      <Field label="Description" help="For those who choose a role." {...form.field('description')}>
        {(control) => <Input {...control} defaultValue={description} maxLength={500} />}
      </Field>
      <PermissionFields
        name="permissions"
        offered={me?.permissions ?? []}
        chosen={permissions}
        error={form.errors.permissions}
        isTall
      />
    </>
  );
}
