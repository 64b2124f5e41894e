import { Check, Copy } from 'lucide-react'
import { useCopy } from './use-copy.ts'

/** Copies a text and confirms it. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <button type="button" className="btn btn-ghost btn-small px-2" aria-label={label} onClick={copy}>
      {isCopied ? <Check size={15} /> : <Copy size={15} />}
      <span className="sr-only" aria-live="polite">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  )
}
