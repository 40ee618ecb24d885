import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { toast } from './toast.tsx';

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
  const icon = isCopied ? Check : Copy;
  return (
    <Button autoFocus={autoFocus} onClick={() => void copy()}>
      <Icon icon={icon} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  );
}
