import type { ConversationMessage } from '@chowk/client';
import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { keys } from '../../api/query-keys.ts';
import { useApi, useMe } from '../../api/use-api.ts';
import { findQuery, matchNames, splitMentions } from './mention-text.ts';

const maxOffered = 8;

function useColleagueNames(isNeeded: boolean) {
  const { data } = useApi(keys.conversations.agents, (client) => client.conversations.listAgents(), isNeeded);
  return data?.agents.map(({ user }) => user) ?? [];
}

interface MentionField {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly isNote: boolean;
  readonly onChange: (text: string) => void;
}

/** Offers colleagues while a note is written and `@` was typed. */
export function useMentions({ field, text, isNote, onChange }: MentionField) {
  const listId = useId();
  const ownId = useMe().data?.id;
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(0);
  /** The position of the `@` for which suggestions were dismissed. */
  const [closedAt, setClosedAt] = useState<number>();
  const query = isNote ? findQuery(text, caret) : undefined;
  const colleagues = useColleagueNames(query !== undefined);
  const others = colleagues.filter(({ id }) => id !== ownId);
  const offered = query && query.start !== closedAt ? matchNames(others, query.text).slice(0, maxOffered) : [];
  const current = Math.min(chosen, offered.length - 1);
  const insert = (name: string) => {
    if (!query) return;
    const before = `${text.slice(0, query.start)}@${name} `;
    flushSync(() => onChange(before + text.slice(caret).replace(/^ /, '')));
    setClosedAt(query.start);
    field.current?.focus();
    field.current?.setSelectionRange(before.length, before.length);
  };
  const optionId = (index: number) => `${listId}-${index}`;
  return {
    list: offered.length > 0 && (
      <div
        id={listId}
        role="listbox"
        aria-label="Colleagues"
        className="rise absolute bottom-full left-2 z-20 mb-1 max-h-60 w-64 max-w-[calc(100%-1rem)] overflow-y-auto rounded-panel bg-raised p-1 text-text shadow-raised"
      >
        {offered.map(({ id, name }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
          <div
            key={id}
            id={optionId(index)}
            role="option"
            aria-selected={index === current}
            className="grid min-h-8 cursor-pointer items-center truncate rounded-control px-2.5 aria-selected:bg-accent-tint max-md:min-h-11"
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onMouseEnter={() => setChosen(index)}
            onClick={() => insert(name)}
          >
            {name}
          </div>
        ))}
      </div>
    ),
    fieldProps: {
      onSelect: () => setCaret(field.current?.selectionStart ?? 0),
      ...(offered.length > 0 && {
        'aria-autocomplete': 'list' as const,
        'aria-controls': listId,
        'aria-activedescendant': optionId(current),
      }),
    },
    onTyped: (at: number) => {
      setCaret(at);
      setChosen(0);
      setClosedAt((closed) => (closed !== undefined && closed < at ? closed : undefined));
    },
    /** Returns whether the key was for the list. */
    onKey: ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => {
      const one = offered[current];
      if (!one || ctrlKey || metaKey) return false;
      if (key === 'ArrowDown') setChosen((current + 1) % offered.length);
      else if (key === 'ArrowUp') setChosen((current + offered.length - 1) % offered.length);
      else if (key === 'Enter' || key === 'Tab') insert(one.name);
      else if (key === 'Escape') setClosedAt(query?.start);
      else return false;
      return true;
    },
  };
}

/** The text of a message, in which those whom a note mentions stand out. */
export function TextWithMentions({ message }: { readonly message: ConversationMessage }) {
  const { body, mentions } = message;
  const colleagues = useColleagueNames(mentions.length > 0);
  const names = colleagues.filter(({ id }) => mentions.includes(id)).map(({ name }) => name);
  return splitMentions(body, names).map(({ at, text, isMention }) =>
    isMention ? (
      <strong key={at} className="rounded-control bg-accent-tint px-0.5 font-medium text-accent-strong">
        {text}
      </strong>
    ) : (
      text
    ),
  );
}
