import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Search } from '../../routing/search-params.ts';

/** What the address says about the report. */
export function useReportSearch() {
  const search: Search = useSearch({ from: '/shell/reports' });
  const navigate = useNavigate();
  /** Other rows begin on the first page. */
  const show = (changes: Search) =>
    void navigate({ to: '.', search: { ...search, page: undefined, ...changes }, replace: true });
  return { search, show };
}
