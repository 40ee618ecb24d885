import type { Role } from '@chowk/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Copy, Ellipsis, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { PermissionGroups } from '../../permissions/permission-fields.tsx';
import { Needs } from '../../shell/needs.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { useIsWithinOwn } from './own-permissions.ts';
import { NewRoleForm, RoleForm } from './role-form.tsx';

export function RolePanel() {
  const id = Number(useParams({ from: '/shell/team/roles/$id' }).id);
  const navigate = useNavigate();
  const canManage = useCan()('team.roles.manage');
  const isWithinOwn = useIsWithinOwn();
  const { data, error } = useApi(keys.team.role(id), (client) => client.roles.get({ id }));
  const role = data?.role;
  const close = () => navigate({ to: '/team/roles' });
  return (
    <DetailPanel
      key={id}
      title={role?.name}
      error={role ? null : error}
      onClose={close}
      actions={role && canManage && <Actions role={role} onDeleted={close} />}
      hasIconActions
    >
      {role && (
        <>
          <p className="-mt-4 text-secondary">
            {role.is_system ? 'Every organization has this role. It cannot be changed. ' : 'A role of your own. '}
            <Link to="/team" search={{ role: role.name }} className="underline underline-offset-4 hover:text-text">
              {role.members === 1 ? 'One member has it' : `${count(role.members)} members have it`}
            </Link>
            .
          </p>
          {canManage && !role.is_system && isWithinOwn(role) ? (
            <RoleForm key={role.updated_at} role={role} />
          ) : (
            <Details role={role} />
          )}
        </>
      )}
    </DetailPanel>
  );
}

function Details({ role: { description, permissions } }: { readonly role: Role }) {
  return (
    <div className="grid gap-4 border-t border-line pt-4">
      {description && <p>{description}</p>}
      <PermissionGroups names={permissions}>
        {(permission, label) => (
          <div key={permission} className="py-0.5">
            {label}
          </div>
        )}
      </PermissionGroups>
    </div>
  );
}

interface ActionsProps {
  readonly role: Role;
  readonly onDeleted: () => Promise<void>;
}

function Actions({ role: { id, name, is_system, members }, onDeleted }: ActionsProps) {
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useAction((client) => client.roles.delete({ id }), {
    affects: [keys.team.roles],
    done: () => `Role ${name} deleted.`,
    leave: onDeleted,
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More actions">
            <Icon icon={Ellipsis} />
          </IconButton>
        }
      >
        <MenuItem icon={Copy} onSelect={() => void navigate({ to: '/team/roles/new', search: { copy: String(id) } })}>
          New role like this
        </MenuItem>
        {!is_system && (
          <>
            <MenuLine />
            <MenuItem icon={Trash2} onSelect={() => setAsking(true)}>
              Delete
            </MenuItem>
          </>
        )}
      </Menu>
      <ConfirmDialog
        title="Delete this role?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete role"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        {members > 0
          ? `${count(members)} ${members === 1 ? 'member has' : 'members have'} it. Give them another role first.`
          : 'No member has this role. This cannot be undone.'}
      </ConfirmDialog>
    </>
  );
}

export function NewRolePanel() {
  const { copy } = useSearch({ from: '/shell/team/roles/new' });
  const navigate = useNavigate();
  return (
    <DetailPanel title="New role" onClose={() => void navigate({ to: '/team/roles' })}>
      <Needs permission="team.roles.manage">
        {copy === undefined ? <NewRoleForm /> : <CopiedRole key={copy} id={Number(copy)} />}
      </Needs>
    </DetailPanel>
  );
}

function CopiedRole({ id }: { readonly id: number }) {
  const { data, error } = useApi(keys.team.role(id), (client) => client.roles.get({ id }));
  return data ? <NewRoleForm original={data.role} /> : <Loading error={error} className="h-96" />;
}
