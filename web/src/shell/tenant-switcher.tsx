import type { Me } from '@chowk/client';
import { ChevronsUpDown } from 'lucide-react';
import { chooseTenant, useTenant } from '../session.ts';
import { BrandMark } from '../ui/brand.tsx';
import { Menu, MenuHeading, MenuItem } from '../ui/menu.tsx';

/** The name of the tenant and the choice of another. */
export function TenantSwitcher({ me: { tenants, tenant_id } }: { readonly me: Me }) {
  const chosen = useTenant();
  const current = tenants.find(({ id }) => id === (tenant_id ?? chosen));
  const name = (
    <span className="flex min-w-0 items-center gap-2.5">
      <BrandMark size={20} />
      <span className="truncate font-semibold tracking-tight">{current?.name ?? location.hostname}</span>
    </span>
  );
  if (tenants.length < 2) return <div className="flex h-9 min-w-0 items-center px-2">{name}</div>;
  const trigger = (
    <button
      type="button"
      className="flex h-9 max-w-full min-w-0 items-center justify-between gap-2 rounded-control px-2 hover:bg-sunken max-md:h-11 md:w-full"
    >
      {name}
      <ChevronsUpDown
        size={14}
        strokeWidth={1.5}
        className="shrink-0 text-secondary"
        aria-label="Switch organization"
      />
    </button>
  );
  // Where the address names the tenant, another one has another address, and a session of its own.
  const open = (id: string) => (chosen === undefined ? location.assign(addressOf(id)) : chooseTenant(id));
  return (
    <Menu trigger={trigger} align="start">
      <MenuHeading>Organizations</MenuHeading>
      {tenants.map(({ id, name: label }) => (
        <MenuItem key={id} isChosen={id === current?.id} onSelect={() => id !== current?.id && open(id)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** The id of a tenant is always one of its domains. */
function addressOf(id: string): string {
  const { protocol, host } = location;
  return `${protocol}//${id}.${host.slice(host.indexOf('.') + 1)}/`;
}
