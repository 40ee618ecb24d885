import { Plus, Trash2, X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import {
  addOption,
  addValues,
  maxOptions,
  type OptionDraft,
  removeOption,
  removeValue,
  renameOption,
  renameValue,
} from './variant-draft.ts';
import type { EditorProps } from './variant-editor-props.ts';

const tooMany = 'A product has at most 250 variants.';
const suggestions = ['Size', 'Color', 'Material'];

/** Up to three options, each with its values. */
export function OptionEditor({ draft, update, errors }: Omit<EditorProps, 'images'>) {
  const { options } = draft;
  return (
    <div className="grid gap-4">
      {options.map((option, index) => (
        <OptionFields
          key={option.key}
          option={option}
          index={index}
          update={update}
          error={
            errors[`options.${index}.name`] ??
            // Reported for each variant.
            Object.entries(errors).find(([name]) => name.endsWith(`.options.${option.name}`))?.[1]
          }
        />
      ))}
      {errors.options && <p className="text-xs text-error">{errors.options}</p>}
      {options.length < maxOptions && (
        <Button className="justify-self-start" onClick={() => update(addOption)}>
          <Icon icon={Plus} />
          {options.length === 0 ? 'Add an option, such as size or color' : 'Add another option'}
        </Button>
      )}
    </div>
  );
}

interface OptionFieldsProps {
  readonly option: OptionDraft;
  readonly index: number;
  readonly update: EditorProps['update'];
  readonly error: string | undefined;
}

function OptionFields({ option: { key, name, values }, index, update, error }: OptionFieldsProps) {
  const label = name.trim() || `option ${index + 1}`;
  return (
    <fieldset className="grid items-start gap-x-4 gap-y-3 border-b border-line pb-4 max-sm:grid-cols-[minmax(0,1fr)_auto] sm:grid-cols-[12rem_minmax(0,1fr)_auto]">
      <legend className="sr-only">Option {index + 1}</legend>
      <Field label={`Option ${index + 1}`} name={`options.${index}.name`} error={error}>
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={50}
            placeholder={suggestions[index]}
            autoComplete="off"
            autoFocus={name === '' && values.length === 0}
            onChange={({ target }) => update((draft) => renameOption(draft, key, target.value))}
          />
        )}
      </Field>
      <div className="grid gap-1.5 max-sm:col-span-2">
        <span className="text-sm font-medium">Values</span>
        <ul className="flex flex-wrap gap-2">
          {values.map((value) => (
            <li key={value}>
              <ValueChip
                value={value}
                label={label}
                onRename={(text) => update((draft) => renameValue(draft, key, value, text))}
                onRemove={() => update((draft) => removeValue(draft, key, value))}
              />
            </li>
          ))}
          <li>
            <NewValue label={label} onAdd={(texts) => update((draft) => addValues(draft, key, texts) ?? tooMany)} />
          </li>
        </ul>
      </div>
      <IconButton
        label={`Remove ${label}`}
        className="mt-6.5 max-sm:col-start-2 max-sm:row-start-1"
        onClick={() => update((draft) => removeOption(draft, key))}
      >
        <Icon icon={Trash2} />
      </IconButton>
    </fieldset>
  );
}

interface ValueChipProps {
  readonly value: string;
  readonly label: string;
  readonly onRename: (text: string) => void;
  readonly onRemove: () => void;
}

function ValueChip({ value, label, onRename, onRemove }: ValueChipProps) {
  return (
    <span className="inline-flex h-9 max-w-full items-center rounded-control bg-accent-tint text-accent-strong has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-accent max-md:h-11">
      <input
        aria-label={`Value ${value} of ${label}`}
        defaultValue={value}
        maxLength={100}
        className="h-full min-w-6 max-w-60 rounded-control pl-2.5 text-sm outline-none [field-sizing:content]"
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.value = value;
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          event.preventDefault();
          event.currentTarget.blur();
        }}
        onBlur={({ currentTarget }) => {
          if (currentTarget.value !== value) onRename(currentTarget.value);
          // An empty name, or that of another value, is refused.
          currentTarget.value = value;
        }}
      />
      <button
        type="button"
        aria-label={`Remove ${value} from ${label}`}
        onClick={onRemove}
        className="grid h-full w-8 shrink-0 place-items-center rounded-control hover:text-text max-md:w-11"
      >
        <Icon icon={X} size={14} />
      </button>
    </span>
  );
}

/** Enter, a comma or leaving the field adds the value. */
function NewValue({ label, onAdd }: { readonly label: string; readonly onAdd: (texts: readonly string[]) => void }) {
  const [text, setText] = useState('');
  const add = (typed: string) => {
    if (typed.trim() !== '') onAdd(typed.split(','));
    setText('');
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== ',')) return;
    event.preventDefault();
    add(text);
  };
  return (
    <Input
      aria-label={`New value of ${label}`}
      placeholder="Add a value"
      value={text}
      maxLength={100}
      autoComplete="off"
      onChange={({ target }) => setText(target.value)}
      onKeyDown={press}
      onBlur={() => add(text)}
      className="w-36!"
    />
  );
}
