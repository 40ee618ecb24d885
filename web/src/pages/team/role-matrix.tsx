import type { Permission, Role } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { Fragment } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { areaTitle } from '../../permissions/permissions.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';

const first = 'sticky left-0 z-[1] bg-canvas text-left font-normal';

/** Permissions by category, with a column for each role. The names of permissions stay in sight while it scrolls. */
export function RoleMatrix({ roles }: { readonly roles: readonly Role[] }) {
  const { data, error } = useApi(keys.permissions, (client) => client.permissions.list());
  if (!data) return <Loading error={error} className="h-96" />;
  return (
    <section
      aria-label="What each role may do"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
      tabIndex={0}
      className="relative overflow-x-auto"
    >
      <table className="border-separate border-spacing-0 text-sm">
        <caption className="sr-only">Permissions of each role</caption>
        <thead>
          <tr>
            <td className={`${first} border-b`} />
            {roles.map(({ id, name }) => (
              <th key={id} scope="col" className="h-9 min-w-20 border-b px-2 text-xs font-medium">
                <Link
                  to="/team/roles/$id"
                  params={{ id: String(id) }}
                  className="mx-auto block max-w-28 truncate underline-offset-4 hover:underline"
                >
                  {name}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...Map.groupBy(data.permissions, ({ category }) => category)].map(([category, permissions]) => (
            <Fragment key={category}>
              <tr>
                <th scope="rowgroup" className={`${first} pt-4 pb-1 text-xs font-semibold! text-secondary`}>
                  {areaTitle(category)}
                </th>
                <td colSpan={roles.length} />
              </tr>
              {permissions.map((permission) => (
                <PermissionRow key={permission.name} permission={permission} roles={roles} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PermissionRowProps {
  readonly permission: Permission;
  readonly roles: readonly Role[];
}

function PermissionRow({ permission: { name, description, is_sensitive }, roles }: PermissionRowProps) {
  return (
    <tr className="group/row">
      <th
        scope="row"
        title={name}
        className={`${first} h-8 w-80 max-w-80 min-w-44 border-b border-line pr-3 group-hover/row:bg-sunken max-md:max-w-44`}
      >
        {description}
        {is_sensitive && <span className="ml-2 text-xs whitespace-nowrap text-warning">Sensitive</span>}
      </th>
      {roles.map(({ id, permissions }) => (
        <td key={id} className="border-b border-line px-2 text-center group-hover/row:bg-sunken">
          {permissions.includes(name) ? (
            <Icon icon={Check} strokeWidth={2} className="mx-auto text-accent" label="Yes" />
          ) : (
            <span className="text-faint">
              <span aria-hidden>·</span>
              <span className="sr-only">No</span>
            </span>
          )}
        </td>
      ))}
    </tr>
  );
}
