import { useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { OptionEditor } from './option-editor.tsx';
import type { VariantDraft } from './variant-draft.ts';
import type { EditorProps, Step } from './variant-editor-props.ts';
import { VariantGrid } from './variant-grid.tsx';

interface VariantEditorProps extends Omit<EditorProps, 'update'> {
  readonly onChange: (draft: VariantDraft) => void;
  /** The SKU and the price of new variants without one. */
  readonly defaults: { readonly sku: string; readonly price: string };
  /** A product without options has no grid. */
  readonly hasGrid: boolean;
}

/** The options of a product, and a grid of its variants. Everything in it has a draft of its own. */
export function VariantEditor({ draft, onChange, hasGrid, defaults, ...props }: VariantEditorProps) {
  const [problem, setProblem] = useState<string>();
  const update = (step: Step) => {
    const next = step(draft);
    setProblem(typeof next === 'string' ? next : undefined);
    if (typeof next !== 'string' && next !== draft) onChange(next);
  };
  return (
    <div data-own-draft className="grid min-w-0 gap-6">
      <OptionEditor draft={draft} update={update} {...props} />
      {problem && <Notice tone="warning">{problem}</Notice>}
      {hasGrid && <VariantGrid draft={draft} update={update} defaults={defaults} {...props} />}
    </div>
  );
}
