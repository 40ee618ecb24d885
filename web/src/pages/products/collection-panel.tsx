import type { Client, Collection } from '@chowk/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { submit } from '../../form/submission.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import { type ChosenProduct, toChosen } from './chosen-products.tsx';
import { CollectionForm } from './collection-form.tsx';
import { describeRule } from './collection-rule.ts';
import { Thumbnail } from './thumbnail.tsx';

const newDraft = 'collection.new';
const none: readonly ChosenProduct[] = [];

export function NewCollectionPanel() {
  const search = useSearch({ from: '/shell/products/collections' });
  const navigate = useNavigate();
  const refetch = useRefetch();
  return (
    <DetailPanel title="New collection" onClose={() => void navigate({ to: '/products/collections', search })}>
      <Needs permission="products.create">
        <CollectionForm
          draft={newDraft}
          products={none}
          action="Create collection"
          onSave={async (input) => {
            const { collection } = await submit(newDraft, api().products.createCollection, input);
            toast(`${collection.title} created.`);
            void refetch(keys.collections.all);
            await navigate({ to: '/products/collections/$id', params: { id: collection.id }, search });
          }}
        />
      </Needs>
    </DetailPanel>
  );
}

export function CollectionPanel() {
  const { id } = useParams({ from: '/shell/products/collections/$id' });
  const search = useSearch({ from: '/shell/products/collections' });
  const navigate = useNavigate();
  const can = useCan();
  const { data, error } = useApi(keys.collections.detail(id), (client) => client.products.getCollection({ id }));
  const products = useApi(
    keys.collections.products(id),
    (client) => readProducts(client, id),
    data?.collection.rule === null,
  );
  const collection = data?.collection;
  const isReady = collection && (collection.rule || products.data);
  const close = () => navigate({ to: '/products/collections', search });
  const shown = products.data ?? none;
  return (
    <DetailPanel
      key={id}
      title={isReady ? collection.title : undefined}
      error={collection ? products.error : error}
      onClose={close}
      actions={isReady && can('products.delete') && <DeleteCollection collection={collection} onDeleted={close} />}
      hasIconActions
    >
      {isReady &&
        (can('products.edit') ? (
          <EditCollection collection={collection} products={shown} />
        ) : (
          <Content collection={collection} products={shown} />
        ))}
    </DetailPanel>
  );
}

const pageSize = 100;

async function readProducts(client: Client, id: string): Promise<readonly ChosenProduct[]> {
  const all: ChosenProduct[] = [];
  for (let page = 1; ; page += 1) {
    const { products } = await client.products.listCollectionProducts({ id, page, per_page: pageSize });
    all.push(...products.map(toChosen));
    if (products.length < pageSize) return all;
  }
}

interface ContentProps {
  readonly collection: Collection;
  readonly products: readonly ChosenProduct[];
}

function EditCollection({ collection, products }: ContentProps) {
  const { id, updated_at } = collection;
  const refetch = useRefetch();
  return (
    <CollectionForm
      key={updated_at}
      draft={`collection.${id}`}
      collection={collection}
      products={products}
      action="Save"
      onSave={async (input) => {
        const version = { headers: { 'If-Match': `"${updated_at}"` } };
        const { collection: saved } = await api().products.updateCollection({ id, ...input }, version);
        toast(`${saved.title} saved.`);
        await refetch(keys.collections.all);
      }}
    />
  );
}

/** For those who may not edit. */
function Content({ collection: { description, rule }, products }: ContentProps) {
  return (
    <>
      {description && <p className="break-words whitespace-pre-line text-secondary">{description}</p>}
      {rule && <p>{describeRule(rule)}</p>}
      <ul className="grid gap-2">
        {products.map(({ id, title, image }) => (
          <li key={id} className="flex min-w-0 items-center gap-2.5">
            <Thumbnail image={image} className="size-8" />
            <span className="truncate">{title}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface DeleteCollectionProps {
  readonly collection: Collection;
  readonly onDeleted: () => Promise<void>;
}

function DeleteCollection({ collection: { id, title }, onDeleted }: DeleteCollectionProps) {
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const remove = useAction((client) => client.products.deleteCollection({ id }), {
    affects: [keys.collections.all],
    done: () => `${title} deleted.`,
    leave: onDeleted,
  });
  return (
    <>
      <IconButton label="Delete collection" onClick={() => setAsking(true)}>
        <Icon icon={Trash2} />
      </IconButton>
      <ConfirmDialog
        title="Delete this collection?"
        isOpen={isAsking}
        onClose={close}
        action="Delete collection"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: close })}
      >
        <strong className="font-semibold text-text">{title}</strong> is deleted, also where websites show it. Its
        products stay. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
