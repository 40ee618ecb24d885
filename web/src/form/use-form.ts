import { ChowkError } from '@chowk/client';
import { type FormEvent, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { fieldMessages, messageOf } from '../api/error-message.ts';
import { clearDraft, keepDraft, restoreDraft } from './draft.ts';

const none: ChowkError['fields'] = {};

interface Form {
  readonly isBusy: boolean;
  /** A failure that no field of the form shows. */
  readonly problem: string | undefined;
  readonly errors: Readonly<Record<string, string>>;
  /** The fields whose value another record has. */
  readonly taken: readonly string[];
  /** What was typed before a reload is in the fields again. */
  readonly isRestored: boolean;
  /** Forgets what was typed and shows the form as it was. */
  readonly discard: () => void;
  /** Of the element `form`. */
  readonly props: {
    readonly ref: (form: HTMLFormElement | null) => void;
    readonly noValidate: true;
    readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
    readonly onInput: (event: FormEvent<HTMLFormElement>) => void;
  };
}

interface FormOptions {
  /** Under which the browser keeps what is typed until it is sent: over a reload, and when the session ends. */
  readonly draft?: string;
}

/**
 * Sends a form once at a time, shows all errors at once and moves the focus to the first field that has one. Its fields have
 * names and are not controlled by React (`defaultValue`).
 */
export function useForm(send: (values: Record<string, string>) => Promise<void>, { draft }: FormOptions = {}): Form {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [edited, setEdited] = useState<readonly string[]>([]);
  const [isRestored, setRestored] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  const ref = useCallback(
    (form: HTMLFormElement | null) => {
      element.current = form;
      if (form && draft !== undefined) setRestored(restoreDraft(draft, form));
    },
    [draft],
  );
  const fields = failure instanceof ChowkError ? failure.fields : none;
  const unshown = useUnshown(element, fields);
  const errors = Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !edited.includes(name))
      .map(([name, problems]) => [name, problems.map(({ message }) => message).join(' ')]),
  );
  async function run(form: HTMLFormElement): Promise<void> {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    try {
      await send(Object.fromEntries(new FormData(form)) as Record<string, string>);
      setFailure(undefined);
      if (draft !== undefined) clearDraft(draft);
      setRestored(false);
    } catch (error) {
      setFailure(error);
      setEdited([]);
      const names = error instanceof ChowkError ? Object.keys(error.fields) : [];
      const first = [...form.elements].find((one) => one instanceof HTMLElement && names.includes(nameOf(one)));
      const control = first instanceof HTMLFieldSetElement ? first.querySelector('input') : first;
      if (control instanceof HTMLElement) control.focus();
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  }
  return {
    isBusy,
    problem: failure !== undefined && Object.keys(fields).length === 0 ? messageOf(failure) : unshown,
    errors,
    taken: Object.keys(errors).filter((name) => fields[name]?.some(({ code }) => code === 'taken')),
    isRestored,
    discard() {
      if (draft !== undefined) clearDraft(draft);
      setFailure(undefined);
      setRestored(false);
      element.current?.reset();
    },
    props: {
      ref,
      noValidate: true,
      onSubmit(event) {
        event.preventDefault();
        void run(event.currentTarget);
      },
      // An error disappears when its field is corrected.
      onInput({ target, currentTarget }) {
        if (draft !== undefined) keepDraft(draft, currentTarget);
        const name = target instanceof Element ? nameOf(target) : '';
        if (!edited.includes(name)) setEdited([...edited, name]);
      },
    },
  };
}

/** Messages about fields that the form does not have, which would otherwise be lost. */
function useUnshown(form: RefObject<HTMLFormElement | null>, fields: ChowkError['fields']): string | undefined {
  const [unshown, setUnshown] = useState<string>();
  useLayoutEffect(() => {
    const { textContent: text = '', elements = [] } = form.current ?? {};
    // Some show a message of their own.
    const shown = [...elements].filter((one) => one.matches('fieldset, [aria-invalid=true]')).map(nameOf);
    const others = Object.entries(fields).filter(([name]) => !shown.includes(name));
    setUnshown((before = '') => {
      // What is in the text only because it was added here is not shown otherwise.
      const rest = text.replace(before, '');
      const messages = fieldMessages(Object.fromEntries(others)).filter((message) => !rest.includes(message));
      return messages.length === 0 ? undefined : messages.join(' ');
    });
  }, [form, fields]);
  return unshown;
}

function nameOf(element: Element): string {
  return element.getAttribute('name') ?? '';
}
