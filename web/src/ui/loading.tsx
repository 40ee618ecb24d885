import { ReadError } from './read-error.tsx';
import { Skeleton } from './skeleton.tsx';

interface LoadingProps {
  /** Why it cannot be read. */
  readonly error: Error | null;
  /** The height that the content will have. */
  readonly className: string;
}

/** In place of what is being read. */
export function Loading({ error, className }: LoadingProps) {
  return error ? <ReadError error={error} /> : <Skeleton className={`w-full ${className}`} />;
}
