import { type RefObject, useEffect, useRef } from 'react';

/** For a button that a form takes the place of: it has the focus again when the form is closed. */
export function useReturnFocus(isFormOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isFormOpen);
  useEffect(() => {
    if (wasOpen.current && !isFormOpen) button.current?.focus();
    wasOpen.current = isFormOpen;
  }, [isFormOpen]);
  return button;
}
