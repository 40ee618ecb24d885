import type { Member } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi, useCan, useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface RemoveDialogProps extends RemoveFormProps {
  readonly isOpen: boolean;
}

export function RemoveDialog({ isOpen, ...rest }: RemoveDialogProps) {
  const isSelf = useMe().data?.id === rest.member.id;
  return (
    <Dialog
      title={isSelf ? 'Leave the organization?' : `Remove ${rest.member.name}?`}
      isOpen={isOpen}
      onClose={rest.onClose}
    >
      <RemoveForm {...rest} />
    </Dialog>
  );
}

interface RemoveFormProps {
  readonly member: Member;
  readonly onClose: () => void;
  readonly onRemoved: () => Promise<void>;
}

interface Values {
  /** Only if there is something to decide. */
  readonly api_clients?: 'delete' | 'take_over';
}

function RemoveForm({ member: { id, name }, onClose, onRemoved }: RemoveFormProps) {
  const refetch = useRefetch();
  const isSelf = useMe().data?.id === id;
  const { clients, webhooks } = useMade(id);
  const form = useForm<Values>(async ({ api_clients = 'delete' }) => {
    await api().team.remove({ id, api_clients });
    onClose();
    toast(isSelf ? 'You have left the organization.' : `${name} removed.`);
    await onRemoved();
    await refetch(keys.team.all, keys.apiClients, ...(isSelf ? [keys.me] : []));
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <ul className="grid list-disc gap-1.5 pl-4 break-words text-secondary">
        <li>Access ends at once, and so do personal access tokens and open invitations.</li>
        {clients === undefined ? (
          <li>API clients that {isSelf ? 'you have' : `${name} has`} made are deleted.</li>
        ) : (
          clients.length === 0 && <li>There are no API clients to lose.</li>
        )}
        {webhooks.length > 0 && (
          <li>
            {webhooks.length === 1 ? 'One webhook gets' : `${webhooks.length} webhooks get`} no more events until
            another member saves {webhooks.length === 1 ? 'it' : 'them'}: {webhooks.join(', ')}.
          </li>
        )}
        <li>The account itself, and what it has done here, stays.</li>
      </ul>
      {clients !== undefined && clients.length > 0 && (
        <Field
          label={`API clients: ${clients.join(', ')}`}
          help={isSelf ? undefined : 'If you take them over, replace their secrets within 24 hours.'}
          {...form.field('api_clients')}
        >
          {(control) => (
            <Select {...control}>
              <option value="delete">Delete: programs are refused at once</option>
              {!isSelf && <option value="take_over">Take over: programs go on</option>}
            </Select>
          )}
        </Field>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="danger" isBusy={form.isBusy}>
          {isSelf ? 'Leave' : 'Remove member'}
        </Button>
      </div>
    </form>
  );
}

/** What depends on the member, as far as the user may see it. */
function useMade(id: number): {
  readonly clients: readonly string[] | undefined;
  readonly webhooks: readonly string[];
} {
  const maySee = useCan()('settings.api_clients');
  const clients = useApi(keys.apiClients, (client) => client.apiClients.list({ per_page: 100 }), maySee);
  const webhooks = useApi(keys.webhooks.list, (client) => client.webhooks.list({ per_page: 100 }), maySee);
  return {
    clients: clients.data?.api_clients.filter(({ created_by }) => created_by?.id === id).map(({ name }) => name),
    webhooks: (webhooks.data?.webhooks ?? [])
      .filter(({ saved_by, is_active }) => saved_by === id && is_active)
      .map(({ description, url }) => description ?? url),
  };
}
