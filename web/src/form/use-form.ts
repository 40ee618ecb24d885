import { ChowkError } from '@chowk/client';
import { type FormEvent, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { clearDraft, keepDraft, restoreDraft } from './draft.ts';
import { currentErrors, formProblem, takenFields, unshownMessage } from './field-errors.ts';

const none: ChowkError['fields'] = {};

/** A form has texts. A checkbox that is not checked, or a field that is not shown, has no value. */
export type FormValues<Values> = { readonly [Name in keyof Values]?: string | undefined };

type FieldName<Values> = keyof Values & string;

/** `Other`: further names under which the platform reports errors, such as `items` of an order. */
export interface Form<Values, Other extends string = never> {
  readonly isBusy: boolean;
  /** A failure that no field of the form shows. */
  readonly problem: string | undefined;
  readonly errors: Readonly<Partial<Record<FieldName<Values> | Other, string>>>;
  /** The name and the error of a field, for `Field`. */
  readonly field: <Name extends FieldName<Values>>(
    name: Name,
  ) => { readonly name: Name; readonly error: string | undefined };
  /** The fields whose value another record has. */
  readonly taken: readonly (FieldName<Values> | Other)[];
  /** Unsaved values were restored after a reload. */
  readonly isRestored: boolean;
  /** Discards the draft and resets the form. */
  readonly discard: () => void;
  /** For the element `form`. */
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
export function useForm<Values extends FormValues<Values> = object, Other extends string = never>(
  send: (values: Values) => Promise<void>,
  { draft }: FormOptions = {},
): Form<Values, Other> {
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
  const errors = currentErrors(fields, edited) as Form<Values, Other>['errors'];
  async function run(form: HTMLFormElement): Promise<void> {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    try {
      await send(readValues<Values>(form));
      setFailure(undefined);
      if (draft !== undefined) clearDraft(draft);
      setRestored(false);
    } catch (error) {
      setFailure(error);
      setEdited([]);
      const names = error instanceof ChowkError ? Object.keys(error.fields) : [];
      const first = [...form.elements].find((one) => one instanceof HTMLElement && names.includes(fieldName(one)));
      const control = first instanceof HTMLFieldSetElement ? first.querySelector('input') : first;
      if (control instanceof HTMLElement) control.focus();
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  }
  return {
    isBusy,
    problem: formProblem(failure, fields, unshown),
    errors,
    field: (name) => ({ name, error: errors[name] }),
    taken: takenFields(fields, edited) as Form<Values, Other>['taken'],
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
        const name = target instanceof Element ? fieldName(target) : '';
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
    const shown = [...elements].filter((one) => one.matches('fieldset, [aria-invalid=true]')).map(fieldName);
    // What is in the text only because it was added here is not shown otherwise.
    setUnshown((before = '') => unshownMessage(fields, shown, text.replace(before, '')));
  }, [form, fields]);
  return unshown;
}

/** What is in the fields of a form. */
export function readValues<Values extends FormValues<Values>>(form: HTMLFormElement): Values {
  return Object.fromEntries(new FormData(form)) as Values;
}

function fieldName(element: Element): string {
  return element.getAttribute('name') ?? '';
}
