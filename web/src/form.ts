import { ChowkError, NetworkError, TimeoutError } from '@chowk/client';
import { type FormEvent, useCallback, useRef, useState } from 'react';
import { clearDraft, keepDraft, restoreDraft } from './draft.ts';

/** What is wrong, for people. */
export function messageOf(error: unknown): string {
  if (error instanceof NetworkError) return 'The platform cannot be reached. Check your connection and try again.';
  if (error instanceof TimeoutError) return 'The platform did not respond in time. Try again.';
  if (error instanceof ChowkError && error.retryAfter !== undefined && error.status === 429) {
    return `${error.message} Try again in ${error.retryAfter} seconds.`;
  }
  if (error instanceof ChowkError && error.status === 401) {
    return 'Your session had ended, so this was not done. Sign in and try again.';
  }
  return error instanceof Error ? error.message : String(error);
}

interface Form {
  readonly isBusy: boolean;
  /** The failure that belongs to no field. */
  readonly problem: string | undefined;
  readonly errors: Readonly<Record<string, string>>;
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
  const fields = failure instanceof ChowkError ? failure.fields : {};
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
      if (first instanceof HTMLElement) first.focus();
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  }
  return {
    isBusy,
    problem: failure === undefined || Object.keys(fields).length > 0 ? undefined : messageOf(failure),
    errors,
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
        if (target instanceof Element) setEdited((names) => [...names, nameOf(target)]);
      },
    },
  };
}

function nameOf(element: Element): string {
  return element.getAttribute('name') ?? '';
}
