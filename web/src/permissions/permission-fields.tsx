import type { ReactNode } from 'react';
import { Checkbox } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { areaTitle, groupByArea, usePermissions } from './permissions.ts';

const prefix = 'permission.';

/** What a form with `PermissionFields` has. */
export type PermissionValues = { readonly [name: `${typeof prefix}${string}`]: 'on' };

export function chosenPermissions(values: PermissionValues): string[] {
  return Object.keys(values).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

interface PermissionFieldsProps {
  /** Under which the platform reports errors. */
  readonly name: string;
  /** Those that can be chosen. */
  readonly offered: readonly string[];
  readonly chosen?: readonly string[];
  readonly error?: string | undefined;
  readonly className?: string;
  /** Without a scrollbar of its own. */
  readonly isTall?: boolean;
}

/** A checkbox for each permission, by area. */
export function PermissionFields(props: PermissionFieldsProps) {
  const { name, offered, chosen = [], error, className = 'grid', isTall = false } = props;
  return (
    <fieldset name={name} className={`gap-4 ${className}`}>
      <legend className="pb-2 text-sm font-medium">Permissions</legend>
      {error && <Notice tone="error">{error}</Notice>}
      <div className={`rounded-control border border-line p-4 ${isTall ? '' : 'max-h-96 overflow-y-auto'}`}>
        <PermissionGroups names={offered}>
          {(permission, label) => (
            <Checkbox
              key={permission}
              name={prefix + permission}
              defaultChecked={chosen.includes(permission)}
              label={label}
            />
          )}
        </PermissionGroups>
      </div>
    </fieldset>
  );
}

interface PermissionGroupsProps {
  readonly names: readonly string[];
  readonly children: (permission: string, label: ReactNode) => ReactNode;
}

/** Permissions by area, in columns. */
export function PermissionGroups({ names, children }: PermissionGroupsProps) {
  const find = usePermissions();
  return (
    <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
      {groupByArea(names).map(([area, permissions]) => (
        <div key={area} className="grid content-start">
          <p className="text-xs font-medium text-secondary">{areaTitle(area)}</p>
          {permissions.map((permission) => children(permission, <PermissionLabel {...find(permission)} />))}
        </div>
      ))}
    </div>
  );
}

interface PermissionLabelProps {
  readonly name: string;
  readonly description: string | undefined;
  readonly isSensitive: boolean;
}

/** The description is for those who may see roles. */
function PermissionLabel({ name, description, isSensitive }: PermissionLabelProps) {
  return (
    <span className="grid py-0.5 text-sm">
      <span className="flex flex-wrap items-center gap-x-2">
        {description}
        {isSensitive && <StatusPill tone="warning">Sensitive</StatusPill>}
      </span>
      <span className={description === undefined ? 'break-all' : 'text-xs break-all text-faint'}>{name}</span>
    </span>
  );
}
