import { useEffect, useRef, useSyncExternalStore } from 'react';
import { observable } from '../state/observable.ts';

export interface Key {
  /** As the event of the browser has it: `j`, `Enter`, `/`; with `mod+` before it for Ctrl, or Command on a Mac; `g o`
   * for one after the other. */
  readonly key: string;
  /** For the list of keys. */
  readonly label: string;
  readonly run: () => void;
}

const registered = observable<readonly (() => readonly Key[])[]>([]);

const inFront = 'dialog[open], [role=menu], [data-popover]';
const undismissible = 'dialog[open][closedby=none]';

/** The longest time between two keys such as `g` and `o`. */
const pauseMs = 1_500;
let first = { name: '', time: 0 };

window.addEventListener('keydown', (event) => {
  const isMod = event.ctrlKey || event.metaKey;
  if (event.defaultPrevented || event.altKey || (!isMod && isTyping(event.target))) return;
  const name = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
  const all = registered.get().flatMap((keys) => keys());
  const before = event.timeStamp < first.time + pauseMs ? first.name : undefined;
  first = { name, time: event.timeStamp };
  // The component that was shown last is in front.
  const match =
    (before && all.findLast(({ key }) => key === `${before} ${name}`)) || all.findLast(({ key }) => key === name);
  if (!match || document.querySelector(isMod ? undismissible : inFront)) return;
  event.preventDefault();
  match.run();
});

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
  );
}

/** Keys that work while the component is shown. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const current = () => latest.current;
    registered.set([...registered.get(), current]);
    return () => registered.set(registered.get().filter((one) => one !== current));
  }, []);
}

export function useAllKeys(): readonly Key[] {
  return useSyncExternalStore(registered.subscribe, registered.get).flatMap((keys) => keys());
}
