import { errorMessage } from '../api/error-message.ts';
import { Notice } from './notice.tsx';
import { Skeleton } from './skeleton.tsx';

interface LoadingProps {
  /** Why it cannot be read. */
  readonly error: Error | null;
  /** The height that the content will have. */
  readonly className: string;
}

/** In place of what is being read. */
export function Loading({ error, className }: LoadingProps) {
  return error ? <Notice tone="error">{errorMessage(error)}</Notice> : <Skeleton className={`w-full ${className}`} />;
}
