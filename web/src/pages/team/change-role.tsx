import type { Member, Role } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi, useCan, useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useIsWithinOwn } from './own-permissions.ts';

/** The role of a member, and the choice of another for those who may assign it. */
export function ChangeRole({ member }: { readonly member: Member }) {
  const can = useCan();
  const isWithinOwn = useIsWithinOwn();
  const { data, error } = useApi(keys.team.roles, (client) => client.roles.list(), can('team.roles.view'));
  const current = data?.roles.find(({ name }) => name === member.role);
  const mayAssign = can('team.edit') && can('team.roles.assign') && current !== undefined && isWithinOwn(current);
  return (
    <Section title="Role">
      {can('team.roles.view') && !data && !error ? (
        <Skeleton className="h-15 w-full" />
      ) : mayAssign ? (
        <RoleForm key={member.role} member={member} roles={data?.roles.filter(isWithinOwn) ?? []} />
      ) : (
        <p>
          {member.role}
          {current && <span className="text-secondary">: {current.description}</span>}
        </p>
      )}
      {current && (
        <Link
          to="/team/roles/$id"
          params={{ id: String(current.id) }}
          className="justify-self-start text-sm text-accent underline-offset-4 hover:underline"
        >
          What {member.role} may do
        </Link>
      )}
    </Section>
  );
}

interface RoleFormProps {
  readonly member: Member;
  readonly roles: readonly Role[];
}

function RoleForm({ member: { id, name, role }, roles }: RoleFormProps) {
  const refetch = useRefetch();
  const isSelf = useMe().data?.id === id;
  const [chosen, setChosen] = useState(role);
  const form = useForm<{ readonly role: string }>(async (values) => {
    await api().team.update({ id, role: values.role });
    toast(isSelf ? `Your role changed to ${values.role}.` : `Role of ${name} changed to ${values.role}.`);
    await refetch(keys.team.all, ...(isSelf ? [keys.me] : []));
  });
  const description = roles.find((one) => one.name === chosen)?.description;
  return (
    <form
      {...form.props}
      onReset={() => setChosen(role)}
      className="grid gap-3"
      onChange={(event) => event.target instanceof HTMLSelectElement && setChosen(event.target.value)}
    >
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label={`Role of ${name}`} help={description} {...form.field('role')}>
        {(control) => (
          <Select {...control} defaultValue={role}>
            {roles.map((one) => (
              <option key={one.id} value={one.name}>
                {one.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {chosen === 'Owner' && role !== 'Owner' && (
        <Notice tone="warning">
          An owner may do everything, also change your role and remove you. To hand the organization over, make {name}{' '}
          an owner, then change your own role.
        </Notice>
      )}
      {chosen !== role && isSelf && (
        <Notice tone="warning">This is your own role. You may not be able to change it back.</Notice>
      )}
      {chosen !== role && (
        <div className="flex gap-2">
          <Button type="submit" variant="primary" isBusy={form.isBusy}>
            Change to {chosen}
          </Button>
          <Button variant="quiet" type="reset">
            Cancel
          </Button>
        </div>
      )}
    </form>
  );
}
