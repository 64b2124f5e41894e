import { Check, Copy } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { useCopy } from '../ui/use-copy.ts'

interface CopyActionProps {
  text: string
  /** The accessible name, which begins with the visible label. */
  label: string
  isSmall?: boolean
}

/** A Copy button that briefly confirms the copy. */
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
