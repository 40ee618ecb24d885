import type { Me } from '@chowk/client';
import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { chooseTenant, useTenant } from '../session/session.ts';
import { BrandMark } from '../ui/brand.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuHeading, MenuItem } from '../ui/menu.tsx';

/** The name of the tenant and the choice of another. */
export function TenantSwitcher({ me: { tenants, tenant_id } }: { readonly me: Me }) {
  const chosen = useTenant();
  const navigate = useNavigate();
  const current = tenants.find(({ id }) => id === (tenant_id ?? chosen));
  const name = (
    <span className="flex min-w-0 items-center gap-2.5">
      <BrandMark size={20} />
      <span className="truncate font-semibold tracking-tight group-data-collapsed/rail:sr-only">
        {current?.name ?? location.hostname}
      </span>
    </span>
  );
  if (tenants.length < 2) return <div className="flex h-9 min-w-0 items-center px-2">{name}</div>;
  const trigger = (
    <button
      type="button"
      className="flex h-9 max-w-full min-w-0 items-center justify-between gap-2 rounded-control px-2 hover:bg-sunken max-md:h-11 md:w-full"
    >
      {name}
      <Icon
        icon={ChevronsUpDown}
        size={14}
        className="shrink-0 text-secondary group-data-collapsed/rail:hidden"
        label="Switch organization"
      />
    </button>
  );
  const open = async ({ id, domain }: Me['tenants'][number]) => {
    // Where the address names the tenant, another one has another address, and a session of its own.
    if (chosen === undefined) return location.assign(tenantAddress(domain));
    // The records of one tenant are not those of another.
    await navigate({ to: '/' });
    chooseTenant(id);
  };
  return (
    <Menu trigger={trigger} align="start">
      <MenuHeading>Organizations</MenuHeading>
      {tenants.map((one) => (
        <MenuItem key={one.id} isChosen={one === current} onSelect={() => one !== current && void open(one)}>
          {one.name}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** The port and the protocol are those of this page. */
function tenantAddress(domain: string): string {
  const { protocol, port } = location;
  return `${protocol}//${domain}${port && `:${port}`}/`;
}
