/** Four roads that meet: a chowk. */
export function BrandMark({ size = 24 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="shrink-0">
      <path d="M16 4v9M16 19v9M4 16h9M19 16h9" className="stroke-brand" strokeWidth="4.5" strokeLinecap="round" />
    </svg>
  );
}
