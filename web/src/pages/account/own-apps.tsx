import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { Section } from '../../ui/page.tsx';
import { GrantItem } from './grant-item.tsx';

/** The apps that act as the user, in all organizations. Most people have none, and then nothing is shown. */
export function OwnApps() {
  const { data } = useApi(keys.profile.apps, (client) => client.profile.apps());
  const remove = useAction((client, id: string) => client.profile.removeApp({ id }), {
    affects: [keys.profile.apps, keys.apps.grants],
    done: ({ message }) => message,
  });
  if (!data || data.apps.length === 0) return null;
  return (
    <Section title="Connected apps" lead="They act as you, with the permissions that you approved.">
      <ul className="divide-y divide-line border-y border-line">
        {data.apps.map((grant) => (
          <GrantItem key={grant.id} grant={grant} isBusy={remove.isPending} onRemove={() => remove.mutate(grant.id)}>
            in {grant.tenant_id}
          </GrantItem>
        ))}
      </ul>
    </Section>
  );
}
