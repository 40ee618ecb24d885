import { X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';

interface TagPickerProps {
  readonly suggestions: readonly string[];
  /** The label of the button for these tags. */
  readonly labelFor: (tags: readonly string[]) => string;
  readonly isBusy?: boolean;
  readonly onSubmit: (tags: readonly string[]) => void;
}

const maxSuggestions = 12;

/** Chooses tags, by typing or from those in use. */
export function TagPicker({ suggestions, labelFor, isBusy = false, onSubmit }: TagPickerProps) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [text, setText] = useState('');
  const typed = text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  const choose = (...tags: readonly string[]) => {
    setChosen([...new Set([...chosen, ...tags])]);
    setText('');
  };
  const needle = text.trim().toLocaleLowerCase();
  const offered = suggestions.filter((tag) => !chosen.includes(tag) && tag.toLocaleLowerCase().includes(needle));
  const all = [...new Set([...chosen, ...typed])];
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (all.length > 0) onSubmit(all);
      }}
    >
      <Field label="Tags" help="Separate with commas.">
        {(control) => (
          <Input
            {...control}
            value={text}
            maxLength={200}
            autoComplete="off"
            onChange={({ target }) => {
              const parts = target.value.split(',').map((tag) => tag.trim());
              if (parts.length > 1) choose(...parts.filter(Boolean));
              else setText(target.value);
            }}
          />
        )}
      </Field>
      {chosen.length > 0 && (
        <ul aria-label="Chosen tags" className="flex flex-wrap gap-1.5">
          {chosen.map((tag) => (
            <li key={tag}>
              <button
                type="button"
                aria-label={`Do not use ${tag}`}
                onClick={() => setChosen(chosen.filter((one) => one !== tag))}
                className="inline-flex h-8 max-w-full items-center gap-1.5 rounded-control bg-accent-tint px-2.5 text-sm text-accent-strong max-md:h-11"
              >
                <span className="truncate">{tag}</span>
                <Icon icon={X} size={14} className="shrink-0" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {offered.length > 0 && (
        <ul aria-label="Tags in use" className="flex flex-wrap gap-1.5">
          {offered.slice(0, maxSuggestions).map((tag) => (
            <li key={tag} className="max-w-full">
              <button
                type="button"
                onClick={() => choose(tag)}
                className="h-8 max-w-full truncate rounded-control border border-line px-2.5 text-sm text-secondary hover:border-edge hover:text-text max-md:h-11"
              >
                {tag}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Button type="submit" variant="primary" isBusy={isBusy} disabled={all.length === 0}>
        {labelFor(all)}
      </Button>
    </form>
  );
}
