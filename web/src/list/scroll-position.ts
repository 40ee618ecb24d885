import { useLocation } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';

/** By entry of the browser's history and list, while this tab is open. */
const positions = new Map<string, number>();

/** Going back to a list shows the rows that it showed; another list begins at its top. */
export function useScrollPosition(element: HTMLElement | null, list: string): void {
  const entry = useLocation({ select: ({ state }) => state.__TSR_key });
  const shown = useRef<{ readonly element: HTMLElement; readonly list: string }>(undefined);
  useLayoutEffect(() => {
    // A list that a record hides on a narrow screen cannot be scrolled.
    if (!element || element.clientHeight === 0) return;
    const key = `${entry} ${list}`;
    if (shown.current?.element !== element || shown.current.list !== list) element.scrollTop = positions.get(key) ?? 0;
    shown.current = { element, list };
    return () => {
      if (element.clientHeight > 0) positions.set(key, element.scrollTop);
    };
  }, [element, entry, list]);
}
