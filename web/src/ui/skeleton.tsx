/** Keeps the place of what is being loaded. */
export function Skeleton({ className = '' }: { readonly className?: string }) {
  return <span aria-hidden className={`pulse block rounded-control bg-line/70 ${className}`} />;
}
