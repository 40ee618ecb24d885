import { useNavigate } from '@tanstack/react-router';
import { type LucideIcon, Merge, Tag, Tags } from 'lucide-react';
import { useState } from 'react';
import { useCan } from '../../api/use-api.ts';
import type { Selection } from '../../list/selection.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { counted } from './customer-list.ts';
import { TagPicker } from './tag-picker.tsx';
import { type TagChange, useTagChange, useTagNames } from './tags.ts';

/** What can be done with the selected customers. */
export function BulkActions({ selection }: { readonly selection: Selection }) {
  const can = useCan();
  const navigate = useNavigate();
  const [primary, secondary] = selection.ids;
  return (
    <>
      {can('customers.edit') && (
        <>
          <TagButton kind="add" ids={selection.ids} icon={Tag}>
            Add tags
          </TagButton>
          <TagButton kind="remove" ids={selection.ids} icon={Tags}>
            Remove tags
          </TagButton>
        </>
      )}
      {can('customers.merge') && (
        <Button
          disabled={selection.ids.length !== 2}
          title={selection.ids.length === 2 ? undefined : 'Select two customers to merge them'}
          onClick={() =>
            void navigate({
              to: '/customers/merge',
              search: { primary: primary as string, secondary: secondary as string },
            })
          }
        >
          <Icon icon={Merge} />
          Merge
        </Button>
      )}
    </>
  );
}

interface TagButtonProps extends Pick<TagChange, 'kind' | 'ids'> {
  readonly icon: LucideIcon;
  readonly children: string;
}

function TagButton({ kind, ids, icon, children }: TagButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const change = useTagChange();
  const suggestions = useTagNames();
  const trigger = (
    <Button>
      <Icon icon={icon} />
      {children}
    </Button>
  );
  const customers = counted(ids.length, 'customer');
  return (
    <Popover trigger={trigger} label={children} isOpen={isOpen} onOpenChange={setOpen}>
      <TagPicker
        suggestions={suggestions}
        isBusy={change.isPending}
        labelFor={() => (kind === 'add' ? `Add to ${customers}` : `Remove from ${customers}`)}
        onSubmit={(tags) => change.mutate({ kind, ids, tags }, { onSuccess: () => setOpen(false) })}
      />
    </Popover>
  );
}
