import { keys } from '../api/query-keys.ts';
import { useApi, useCan, useMe } from '../api/use-api.ts';

/** The name of a member of the team, as far as the user may know it: `you`, or undefined. */
export function useMemberName(): (id: number | null) => string | undefined {
  const { data: me } = useMe();
  const can = useCan();
  const { data } = useApi(keys.team.names, (client) => client.team.list({ per_page: 100 }), can('team.view'));
  return (id) => (id !== null && id === me?.id ? 'you' : data?.team.find((member) => member.id === id)?.name);
}
