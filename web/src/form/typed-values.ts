import { useCallback, useState } from 'react';
import { type Form, type FormValues, readValues } from './use-form.ts';

type FormProps = Form<object>['props'];

interface TypedValues<Values> {
  /** Empty until the form is shown. */
  readonly typed: Partial<Values>;
  /** For the element `form`, instead of the props of `useForm`. */
  readonly props: FormProps & { readonly onReset: (event: { readonly currentTarget: HTMLFormElement }) => void };
}

/** What is in the fields of a form of `useForm`, as it is typed or restored, for texts that depend on it. */
export function useTypedValues<Values extends FormValues<Values>>(props: FormProps): TypedValues<Values> {
  const [typed, setTyped] = useState<Partial<Values>>({});
  const { ref: formRef } = props;
  const read = (form: HTMLFormElement) => setTyped(readValues<Values>(form));
  const ref = useCallback(
    (form: HTMLFormElement | null) => {
      formRef(form);
      if (form) setTyped(readValues<Values>(form));
    },
    [formRef],
  );
  return {
    typed,
    props: {
      ...props,
      ref,
      onInput(event) {
        props.onInput(event);
        read(event.currentTarget);
      },
      // The fields are reset after this event.
      onReset: ({ currentTarget }) => queueMicrotask(() => read(currentTarget)),
    },
  };
}
