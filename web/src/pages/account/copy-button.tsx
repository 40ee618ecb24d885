import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly autoFocus?: boolean;
}

export function CopyButton({ text, label, autoFocus = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Browsers allow it on secure pages only.
      toast('The browser does not allow copying here. Select the text and copy it yourself.');
    }
  }
  const Icon = isCopied ? Check : Copy;
  return (
    <Button autoFocus={autoFocus} onClick={() => void copy()}>
      <Icon size={16} strokeWidth={1.5} aria-hidden />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  );
}
