import { Link } from '@tanstack/react-router';
import { ActivityList } from '../../activity/activity-list.tsx';
import { readChanges } from '../../activity/read-changes.ts';
import { isNotable } from '../../activity/sentence.ts';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { Section } from '../../ui/page.tsx';

const shown = 7;

export function RecentActivity() {
  const can = useCan();
  const { data, error } = useApi(keys.orders.activity, (client) =>
    readChanges(client, can, { outcome: 'ok', per_page: 50 }, (entries) =>
      entries.filter((entry) => isNotable(entry) && entry.user_id !== null).slice(0, shown),
    ),
  );
  const changes = data?.changes;
  if (changes?.length === 0) return null;
  return (
    <Section
      title="Recent activity"
      actions={
        <Link to="/activity" className="text-sm text-accent underline-offset-4 hover:underline">
          Show all
        </Link>
      }
    >
      <ActivityList changes={changes} error={error} empty="" />
    </Section>
  );
}
