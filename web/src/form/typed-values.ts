import { useCallback, useState } from 'react';
import type { useForm } from './use-form.ts';

type FormProps = ReturnType<typeof useForm>['props'];
type Values = Readonly<Record<string, string>>;

interface TypedValues {
  readonly typed: Values;
  /** Of the element `form`, instead of those of `useForm`. */
  readonly props: FormProps & { readonly onReset: (event: { readonly currentTarget: HTMLFormElement }) => void };
}

/** What is in the fields of a form of `useForm`, as it is typed or restored, for texts that depend on it. */
export function useTypedValues(props: FormProps): TypedValues {
  const [typed, setTyped] = useState<Values>({});
  const { ref: formRef } = props;
  const read = (form: HTMLFormElement) => setTyped(Object.fromEntries(new FormData(form)) as Values);
  const ref = useCallback(
    (form: HTMLFormElement | null) => {
      formRef(form);
      if (form) setTyped(Object.fromEntries(new FormData(form)) as Values);
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
