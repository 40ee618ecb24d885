import { EntryLayout } from '../entry/entry-layout.tsx';

export function ApplyPage() {
  return <EntryLayout title="Apply">{null}</EntryLayout>;
}
