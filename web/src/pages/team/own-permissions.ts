import type { Role } from '@chowk/client';
import { useMe } from '../../api/use-api.ts';

/** These have an effect in the organizations of resellers and of the platform only; others hold them without it. */
const isElsewhere = (permission: string) => /^(reseller|platform)\./.test(permission);

/** Whether the user holds every permission of a role, without which it can be neither assigned, changed nor taken away. */
export function useIsWithinOwn(): (role: Role) => boolean {
  const own = new Set(useMe().data?.permissions);
  return ({ permissions }) => permissions.every((permission) => own.has(permission) || isElsewhere(permission));
}
