import { keys } from '../api/query-keys.ts';
import { useApi, useCan } from '../api/use-api.ts';

interface PermissionText {
  readonly name: string;
  /** Known to those who may see roles. */
  readonly description: string | undefined;
  /** It allows damage that cannot be undone, or access to private data. */
  readonly isSensitive: boolean;
}

export function usePermissions(): (name: string) => PermissionText {
  const can = useCan();
  const { data } = useApi(keys.permissions, (client) => client.permissions.list(), can('team.roles.view'));
  const known = new Map(data?.permissions.map((permission) => [permission.name, permission]));
  return (name) => ({
    name,
    description: known.get(name)?.description,
    isSensitive: known.get(name)?.is_sensitive ?? false,
  });
}

/** `customers.view` is in the area `customers`. */
export function groupByArea(names: readonly string[]): readonly (readonly [area: string, names: readonly string[]])[] {
  return [...Map.groupBy(names.toSorted(), (name) => name.split('.')[0] ?? name)];
}

export function areaTitle(area: string): string {
  return area === 'graphql' ? 'GraphQL' : area.charAt(0).toUpperCase() + area.slice(1);
}
