import { type Client, customersLimits } from '@chowk/client';
import { useMutation } from '@tanstack/react-query';
import { affectedByTags } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { api } from '../../session/session.ts';
import { toast } from '../../ui/toast.tsx';
import { counted } from './customer-list.ts';

export interface TagChange {
  readonly kind: 'add' | 'remove';
  readonly ids: readonly string[];
  readonly tags: readonly string[];
}

const maxIds = customersLimits.addTags.customer_ids;

/** Tag by tag, because the customers that change differ and only these are undone. */
async function send(client: Client, { kind, ids, tags }: TagChange, undos: TagChange[] = []): Promise<TagChange[]> {
  const change = kind === 'add' ? client.customers.addTags : client.customers.removeTags;
  for (const tag of tags) {
    for (let from = 0; from < ids.length; from += maxIds) {
      const { changed } = await change({ customer_ids: ids.slice(from, from + maxIds), tags: [tag] });
      if (changed.length > 0) undos.push({ kind: kind === 'add' ? 'remove' : 'add', ids: changed, tags: [tag] });
    }
  }
  return undos;
}

/** Adds tags to customers or removes them, and offers to undo it. */
export function useTagChange() {
  const refetch = useRefetch();
  const undo = useMutation({
    mutationFn: async (undos: readonly TagChange[]) => {
      for (const one of undos) await send(api(), one);
    },
    onSuccess: () => toast('Tags restored.'),
    onError: (error) => toast(errorMessage(error)),
    onSettled: () => refetch(...affectedByTags),
  });
  return useMutation({
    async mutationFn(change: TagChange) {
      const undos: TagChange[] = [];
      const failure = await send(api(), change, undos).then(
        () => undefined,
        (error) => errorMessage(error),
      );
      return { undos, failure };
    },
    async onSuccess({ undos, failure }, change) {
      const changed = new Set(undos.flatMap(({ ids }) => ids)).size;
      const offer = changed === 0 ? undefined : { label: 'Undo', run: () => undo.mutate(undos) };
      if (failure !== undefined) toast(changed === 0 ? failure : `Only a part was done. ${failure}`, offer);
      else if (changed > 0) toast(messageFor(change, changed), offer);
      else toast(change.kind === 'add' ? 'They have these tags already.' : 'None of them has these tags.');
      await refetch(...affectedByTags);
    },
  });
}

function messageFor({ kind, ids, tags }: TagChange, changed: number): string {
  const what = tags.length === 1 ? `“${tags[0]}”` : `${tags.length} tags`;
  const whom = ids.length === 1 ? '' : `${kind === 'add' ? ' to' : ' from'} ${counted(changed, 'customer')}`;
  return kind === 'add' ? `Added ${what}${whom}.` : `Removed ${what}${whom}.`;
}

/** Names of the tags in use, most used first. */
export function useTagNames(): readonly string[] {
  const { data } = useApi(keys.customers.tags, (client) => client.customers.listTags());
  return data?.tags.map(({ name }) => name) ?? [];
}
