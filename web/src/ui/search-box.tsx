import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { Input } from './field.tsx';
import { Icon } from './icon.tsx';

export interface Option {
  readonly key: string;
  readonly label: ReactNode;
  readonly detail?: ReactNode;
  /** At the right end. */
  readonly aside?: ReactNode;
  readonly choose: () => void;
}

interface SearchBoxProps {
  readonly label: string;
  readonly placeholder: string;
  readonly name: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly options: readonly Option[];
  /** The options do not belong to the text yet: Enter waits for them. */
  readonly isSearching: boolean;
  /** Why there are no options. */
  readonly failure?: string | undefined;
  /** Instead of options, if there are none. */
  readonly empty?: string;
  readonly error?: string | undefined;
  readonly autoFocus?: boolean;
}

/** A field that offers what matches while the user types. */
export function SearchBox(props: SearchBoxProps) {
  const { label, placeholder, name, text, onText, options, isSearching, failure, empty, error } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const message = isSearching ? 'Searching…' : (failure ?? (options.length === 0 ? empty : undefined));
  const isShown = isOpen && text !== '' && (options.length > 0 || message !== undefined);
  const current = Math.min(active, options.length - 1);
  const close = () => {
    setOpen(false);
    setEntered(false);
  };
  const choose = (option: Option | undefined) => {
    if (!option) return;
    close();
    setActive(0);
    onText('');
    option.choose();
  };
  useEffect(() => {
    if (!isEntered || isSearching) return;
    if (failure === undefined) choose(options[current]);
    else setEntered(false);
  });
  const move = (step: number) => setActive((current + step + options.length) % Math.max(1, options.length));
  const press = (event: KeyboardEvent) => {
    const { key, nativeEvent, ctrlKey, metaKey } = event;
    // Enter confirms a word of an input method, too.
    if (nativeEvent.isComposing || ctrlKey || metaKey || !['ArrowDown', 'ArrowUp', 'Enter', 'Escape'].includes(key))
      return;
    event.preventDefault();
    if (!isShown) return;
    if (key === 'Enter') setEntered(true);
    else if (key === 'Escape') close();
    else if (!isSearching) move(key === 'ArrowDown' ? 1 : -1);
  };
  return (
    <div className="relative">
      <Icon
        icon={Search}
        className="pointer-events-none absolute top-4.5 left-2.5 -translate-y-1/2 text-secondary max-md:top-5.5"
      />
      <Input
        role="combobox"
        aria-label={label}
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && options.length > 0 ? `${id}-${current}` : undefined}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        autoComplete="off"
        autoFocus={props.autoFocus}
        name={name}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => {
          onText(target.value);
          setOpen(true);
          setActive(0);
          setEntered(false);
        }}
        onFocus={() => setOpen(true)}
        onBlur={close}
        onKeyDown={press}
        className="pl-8"
      />
      {error !== undefined && (
        <div id={`${id}-error`} className="mt-1.5 text-xs text-error">
          {error}
        </div>
      )}
      <div
        // A click must not take the focus from the field, which would close the list first.
        onPointerDown={(event) => event.preventDefault()}
        className={`rise absolute inset-x-0 z-20 mt-1 max-h-80 overflow-y-auto rounded-panel bg-raised p-1 shadow-raised ${isShown ? '' : 'hidden'}`}
      >
        <div id={`${id}-list`} role="listbox" aria-label="Matches">
          {options.map(({ key, label: text, detail, aside, ...option }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
            <div
              key={key}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === current}
              onPointerMove={() => setActive(index)}
              onClick={() => choose({ key, label: text, ...option })}
              className="flex min-h-9 cursor-pointer items-center gap-3 rounded-control px-2.5 py-1 aria-selected:bg-accent-tint max-md:min-h-11"
            >
              <span className="grid min-w-0 flex-1">
                <span className="truncate">{text}</span>
                {detail && <span className="truncate text-xs text-secondary">{detail}</span>}
              </span>
              {aside && <span className="numeric shrink-0 text-sm text-secondary">{aside}</span>}
            </div>
          ))}
        </div>
        {message !== undefined && (
          <p role="status" className={`px-2.5 py-2 text-sm ${message === failure ? 'text-error' : 'text-secondary'}`}>
            {message}
          </p>
        )}
      </div>
    </div>
  );
}
