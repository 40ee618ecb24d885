import { useLocation } from '@tanstack/react-router';
import { Skeleton } from './skeleton.tsx';

const lists =
  /^\/(orders|customers|products|discounts|rules|team|activity|developers|applications|codes|tenants|platform|notifications)(\/|$)/;

/** In place of a page whose script or first data is being loaded, in its shape. */
export function PageLoading() {
  const { pathname } = useLocation();
  const Shape = lists.test(pathname)
    ? ListShape
    : pathname.startsWith('/conversations')
      ? PanesShape
      : pathname === '/reports'
        ? ReportShape
        : SectionsShape;
  return (
    <div role="status" className="grid gap-6 px-4 pt-2 md:px-8">
      <span className="sr-only">Loading…</span>
      <Skeleton className="h-7 w-40" />
      <Shape />
    </div>
  );
}

function SectionsShape() {
  return (
    <>
      <Skeleton className="h-20 w-full max-w-2xl" />
      <Skeleton className="h-56 w-full" />
    </>
  );
}

const rows = Array.from({ length: 12 }, (_, index) => index);

function ListShape() {
  return (
    <div className="grid gap-3">
      <Skeleton className="h-8 w-80 max-w-full" />
      <Skeleton className="h-9 w-72 max-w-full" />
      <div className="grid">
        {rows.map((row) => (
          <div key={row} className="flex h-9 items-center gap-6 border-b border-line max-md:h-13">
            <Skeleton className="h-3.5 w-1/4" />
            <Skeleton className="h-3.5 w-1/3" />
            <Skeleton className="ml-auto h-3.5 w-16" />
          </div>
        ))}
      </div>
    </div>
  );
}

/** A queue beside a thread. */
function PanesShape() {
  return (
    <div className="grid gap-6 md:grid-cols-[20rem_minmax(0,1fr)]">
      <div className="grid content-start gap-3">
        {rows.slice(0, 8).map((row) => (
          <Skeleton key={row} className="h-14 w-full" />
        ))}
      </div>
      <Skeleton className="h-[60vh] w-full max-md:hidden" />
    </div>
  );
}

/** Tabs, figures and a chart. */
function ReportShape() {
  return (
    <>
      <Skeleton className="h-9 w-96 max-w-full" />
      <div className="grid gap-5 sm:grid-cols-3">
        {rows.slice(0, 3).map((row) => (
          <Skeleton key={row} className="h-20 w-full" />
        ))}
      </div>
      <Skeleton className="h-64 w-full" />
    </>
  );
}
