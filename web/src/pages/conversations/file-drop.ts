import { useEffect, useRef, useState } from 'react';

/** Takes files that are dropped anywhere on the page, which the browser would open instead. Returns whether some are above it. */
export function useFileDrop(take: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // Not when the pointer only moves on to another element.
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    const listeners = { dragover: over, dragleave: leave, drop } as const;
    for (const [type, listener] of Object.entries(listeners)) window.addEventListener(type as 'drop', listener);
    return () => {
      for (const [type, listener] of Object.entries(listeners)) window.removeEventListener(type as 'drop', listener);
    };
  }, []);
  return isOver;
}
