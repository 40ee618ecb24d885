import type { Role } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { RoleMatrix } from './role-matrix.tsx';
import { TeamLayout } from './team-layout.tsx';

/** All roles, what each of them may do, and the one that is open beside them. */
export function RolesPage() {
  const hasDetail = useChildMatches().length > 0;
  return (
    <TeamLayout tab="/team/roles" actions={<NewRoleButton />} detail={hasDetail && <Outlet />}>
      <Roles />
    </TeamLayout>
  );
}

function NewRoleButton() {
  const canManage = useCan()('team.roles.manage');
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/team/roles/new' });
  useKeys(canManage ? [{ key: 'n', label: 'New role', run: create }] : []);
  if (!canManage) return null;
  return (
    <Button onClick={create}>
      <Icon icon={Plus} strokeWidth={1.75} />
      New role
    </Button>
  );
}

function Roles() {
  const { data, error } = useApi(keys.team.roles, (client) => client.roles.list());
  const hasDetail = useChildMatches().length > 0;
  if (!data) return <Loading error={error} className="mt-4 h-80" />;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-8 overflow-y-auto pt-3 pb-12 *:shrink-0">
      <Table caption="Roles">
        <thead>
          <tr>
            <HeaderCell>Role</HeaderCell>
            <HeaderCell className="max-md:hidden">What it is for</HeaderCell>
            <HeaderCell isNumber>Permissions</HeaderCell>
            <HeaderCell isNumber>Members</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {data.roles.map((role) => (
            <RoleRow key={role.id} role={role} />
          ))}
        </tbody>
      </Table>
      {!hasDetail && (
        <Section title="What each role may do">
          <RoleMatrix roles={data.roles} />
        </Section>
      )}
    </div>
  );
}

function RoleRow({ role: { id, name, description, is_system, permissions, members } }: { readonly role: Role }) {
  return (
    <tr>
      <Cell className="max-w-64">
        <Link
          to="/team/roles/$id"
          params={{ id: String(id) }}
          className="block min-w-0 truncate font-medium hover:underline"
        >
          {name}
        </Link>
      </Cell>
      <Cell className="max-w-md truncate text-secondary max-md:hidden">
        {description || (is_system ? '' : 'A role of your own.')}
      </Cell>
      <Cell isNumber>{count(permissions.length)}</Cell>
      <Cell isNumber>
        {members === 0 ? (
          <span className="text-faint">0</span>
        ) : (
          <Link
            to="/team"
            search={{ role: name }}
            aria-label={`${count(members)} with the role ${name}`}
            className="inline-flex min-h-8 min-w-8 items-center justify-end underline-offset-4 hover:underline"
          >
            {count(members)}
          </Link>
        )}
      </Cell>
    </tr>
  );
}
