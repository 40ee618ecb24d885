import { X } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useSearchResults } from '../../api/search-results.ts';
import { Icon } from '../../ui/icon.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { maxNames, searchTargets, type Target, type TargetKind, targetKinds, useTargetNames } from './targets.ts';

interface TargetChooserProps {
  readonly kind: TargetKind;
  readonly targets: readonly Target[];
  readonly onChange: (targets: readonly Target[]) => void;
  readonly error: string | undefined;
}

/** Finds what a discount applies to, and lists it. */
export function TargetChooser({ kind, targets, onChange, error }: TargetChooserProps) {
  const [text, setText] = useState('');
  const [one, all] = targetKinds[kind];
  const { data, ...state } = useSearchResults(
    (query) => keys.discounts.targetSearch(kind, query),
    text.trim(),
    (client, query) => searchTargets(client, kind, query),
  );
  const options = (data ?? [])
    .filter(({ id }) => !targets.some((target) => target.id === id))
    .map(({ id, label, detail }) => ({
      key: id,
      label,
      detail,
      choose: () => onChange([...targets, { id, label }]),
    }));
  return (
    <div className="grid gap-2">
      <SearchBox
        label={all}
        placeholder={`Add a ${one}`}
        name="target_ids"
        text={text}
        onText={setText}
        options={options}
        {...state}
        {...(data ? { empty: `No other ${one} matches.` } : {})}
        error={error}
      />
      <TargetList
        kind={kind}
        targets={targets}
        onRemove={({ id }) => onChange(targets.filter((two) => two.id !== id))}
      />
    </div>
  );
}

interface TargetListProps {
  readonly kind: TargetKind;
  readonly targets: readonly Target[];
  /** Without it, the list cannot be changed. */
  readonly onRemove?: (target: Target) => void;
}

export function TargetList({ kind, targets, onRemove }: TargetListProps) {
  const [one, all] = targetKinds[kind];
  const names = useTargetNames(kind, targets);
  if (targets.length === 0) return null;
  const more = targets.length - maxNames;
  return (
    <ul aria-label={`Chosen ${all.toLowerCase()}`} className="grid gap-0.5">
      {targets.slice(0, maxNames).map((target) => {
        const name = target.label ?? (names ? (names.get(target.id) ?? `A ${one} that was deleted`) : '…');
        return (
          <li key={target.id} className="flex min-h-8 items-center gap-2 rounded-control bg-sunken pl-2.5 text-sm">
            <span className={`min-w-0 flex-1 truncate ${onRemove ? '' : 'py-1.5 pr-2.5'}`}>{name}</span>
            {onRemove && (
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => onRemove(target)}
                className="grid size-8 shrink-0 place-items-center rounded-control text-secondary hover:text-text max-md:size-11"
              >
                <Icon icon={X} size={14} />
              </button>
            )}
          </li>
        );
      })}
      {more > 0 && <li className="px-2.5 py-1 text-sm text-secondary">and {more} more</li>}
    </ul>
  );
}
