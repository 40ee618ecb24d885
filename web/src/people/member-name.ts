import { useMe } from '../api/use-api.ts';
import { useMembers } from './members.ts';

/** The name of a member of the team, as far as the user may know it: `you`, or undefined. */
export function useMemberName(): (id: number | null) => string | undefined {
  const { data: me } = useMe();
  const { data } = useMembers();
  return (id) => (id !== null && id === me?.id ? 'you' : data?.find((member) => member.id === id)?.name);
}
