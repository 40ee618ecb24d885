import { Skeleton } from './skeleton.tsx';

/** In place of a page whose script or first data is being loaded. */
export function PageLoading() {
  return (
    <div role="status" className="grid gap-6 px-4 pt-2 md:px-8">
      <span className="sr-only">Loading…</span>
      <Skeleton className="h-7 w-40" />
      <Skeleton className="h-20 w-full max-w-2xl" />
      <Skeleton className="h-56 w-full" />
    </div>
  );
}
