import type { ProductImage } from '@chowk/client';
import type { VariantDraft } from './variant-draft.ts';

/** A change of the draft, or why it cannot be done. */
export type Step = (draft: VariantDraft) => VariantDraft | string;

export interface EditorProps {
  readonly draft: VariantDraft;
  readonly update: (step: Step) => void;
  /** By the name that the platform uses: `variants.0.sku`. */
  readonly errors: Readonly<Partial<Record<string, string>>>;
  /** Those that a variant can show. */
  readonly images: readonly ProductImage[];
}
