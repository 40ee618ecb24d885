import type { Me } from '@chowk/client';
import { ChevronsUpDown } from 'lucide-react';
import { chooseTenant, useTenant } from '../session.ts';
import { BrandMark } from '../ui/brand.tsx';
import { Menu, MenuHeading, MenuItem } from '../ui/menu.tsx';

/** The name of the tenant and, at the platform's own address, the choice of another. */
export function TenantSwitcher({ me: { tenants } }: { readonly me: Me }) {
  const chosen = useTenant();
  const [label] = location.hostname.split('.');
  const current = tenants.find(({ id }) => id === (chosen ?? label));
  const name = (
    <span className="flex min-w-0 items-center gap-2.5">
      <BrandMark size={20} />
      <span className="truncate font-semibold tracking-tight">{current?.name ?? location.hostname}</span>
    </span>
  );
  // Where the address names the tenant, another one has another address and a session of its own.
  if (chosen === undefined || tenants.length < 2)
    return <div className="flex h-9 min-w-0 items-center px-2">{name}</div>;
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
  return (
    <Menu trigger={trigger} align="start">
      <MenuHeading>Organizations</MenuHeading>
      {tenants.map(({ id, name: label }) => (
        <MenuItem key={id} isChosen={id === chosen} onSelect={() => chooseTenant(id)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
