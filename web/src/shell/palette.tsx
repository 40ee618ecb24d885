import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import type { PaletteItem } from './palette-item.ts';
import { isRecord, usePaletteItems } from './palette-items.ts';

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Finds pages, actions, customers, orders and products. */
export function Palette({ isOpen, onClose }: PaletteProps) {
  return (
    <Dialog title="Search and commands" isOpen={isOpen} onClose={onClose} isPalette>
      <PaletteContent onClose={onClose} />
    </Dialog>
  );
}

function PaletteContent({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const { items, isSearching, hasFailed } = usePaletteItems(text);
  const [active, setActive] = useState(0);
  const current = Math.min(active, items.length - 1);
  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);
  const choose = ({ target }: PaletteItem) => {
    onClose();
    if (typeof target === 'string') void navigate({ href: target });
    else target();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = items[current];
    if (step !== undefined && items.length > 0) setActive((current + step + items.length) % items.length);
    else if (event.key !== 'Enter' || !chosen) return;
    else if (!isSearching || !isRecord(chosen)) choose(chosen);
    event.preventDefault();
  };
  return (
    <div>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Icon icon={Search} size={18} className="shrink-0 text-secondary" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the palette was opened to type in it
          autoFocus
          role="combobox"
          aria-label="Search customers, orders, products and commands"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={items.length > 0 ? `${id}-${current}` : undefined}
          placeholder="Customer, order number, product or command"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
          className="h-13 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-faint"
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label="Results" className="max-h-[55vh] overflow-y-auto p-2">
        {items.map((item, index) => {
          const isFirst = items[index - 1]?.group !== item.group;
          return (
            <div key={`${item.group} ${item.label} ${item.target}`}>
              {isFirst && (
                <div aria-hidden className="px-3 pt-2 pb-1 text-xs text-faint">
                  {item.group}
                </div>
              )}
              <Option id={`${id}-${index}`} item={item} isActive={index === current} onChoose={() => choose(item)} />
            </div>
          );
        })}
      </div>
      <p
        role="status"
        className={items.length > 0 && !isSearching && !hasFailed ? 'sr-only' : 'px-5 pb-4 text-sm text-secondary'}
      >
        {isSearching
          ? 'Searching…'
          : hasFailed
            ? 'Customers, orders and products could not be searched. Try again.'
            : items.length === 0
              ? `Nothing matches “${text.trim()}”.`
              : `${items.length} ${items.length === 1 ? 'result' : 'results'}`}
      </p>
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly item: PaletteItem;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

function Option({ id, item: { label, detail, keys, icon }, isActive, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onClick={onChoose}
      className="flex min-h-9 cursor-pointer items-center gap-3 rounded-control px-3 hover:bg-sunken aria-selected:bg-accent-tint max-md:min-h-11"
    >
      <Icon icon={icon} className="shrink-0 text-secondary" />
      <span className="min-w-0 truncate">{label}</span>
      {detail && <span className="numeric ml-auto shrink-0 text-sm text-secondary">{detail}</span>}
      {keys && (
        <kbd aria-hidden className="ml-auto shrink-0 font-sans text-xs text-faint max-md:hidden">
          {keys}
        </kbd>
      )}
    </div>
  );
}
