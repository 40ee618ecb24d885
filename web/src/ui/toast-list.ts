export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  /** What it is about, if that can change while it is shown. */
  readonly about?: string | undefined;
}

const maxShown = 3;
const pauseMs = 30_000;

/**
 * The toasts with a new one. One about the same is changed in place; after that has gone, the next one is shown at the earliest
 * half a minute after it appeared.
 */
export function toastList() {
  const appeared = new Map<string, number>();
  let lastId = 0;
  return function add(list: readonly Toast[], toast: Omit<Toast, 'id'>, now = Date.now()): readonly Toast[] {
    const { about } = toast;
    if (about !== undefined) {
      if (list.some((one) => one.about === about)) {
        return list.map((one) => (one.about === about ? { ...toast, id: one.id } : one));
      }
      if (now - (appeared.get(about) ?? -pauseMs) < pauseMs) return list;
      appeared.set(about, now);
    }
    lastId += 1;
    return [...list.slice(1 - maxShown), { ...toast, id: lastId }];
  };
}
