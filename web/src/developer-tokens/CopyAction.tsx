import { Check, Copy } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { useCopy } from '../ui/use-copy.ts'

interface CopyActionProps {
  text: string
  /** What the button is called; begins with the word that is seen on it. */
  label: string
  isSmall?: boolean
}

/** A button with the word Copy on it, which says for a moment that it did. */
export function CopyAction({ text, label, isSmall = false }: CopyActionProps) {
  const { isCopied, copy } = useCopy(text)
  return (
    <>
      <Button isSmall={isSmall} aria-label={label} onClick={copy}>
        {isCopied ? <Check size={15} /> : <Copy size={15} />} Copy
      </Button>
      <span className="sr-only" aria-live="polite">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  )
}
