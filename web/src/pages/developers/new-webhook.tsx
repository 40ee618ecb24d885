import { useNavigate } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { showSecret } from './shown-secret.ts';
import { WebhookForm } from './webhook-form.tsx';

const draft = 'webhook.new';

export function NewWebhookPanel() {
  const navigate = useNavigate();
  const refetch = useRefetch();
  const close = () => void navigate({ to: '/developers/webhooks' });
  return (
    <DetailPanel title="New webhook" onClose={close}>
      <Needs permission="customers.view_sensitive">
        <WebhookForm
          draft={draft}
          action="Create webhook"
          onCancel={close}
          send={async (input) => {
            const { webhook, secret } = await submit(draft, api().webhooks.create, input);
            showSecret(webhook.id, secret);
            void refetch(keys.webhooks.list);
            await navigate({ to: '/developers/webhooks/$id', params: { id: webhook.id } });
          }}
        />
      </Needs>
    </DetailPanel>
  );
}
