import { type RefObject, useEffect, useRef } from 'react';

/** Returns the focus to the button that opened a form in its place. */
export function useReturnFocus(isFormOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isFormOpen);
  useEffect(() => {
    if (wasOpen.current && !isFormOpen) button.current?.focus();
    wasOpen.current = isFormOpen;
  }, [isFormOpen]);
  return button;
}
