import { Check, Copy } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { useCopy } from '../ui/use-copy.ts'

interface CopyActionProps {
  text: string
  /** The accessible name, which begins with the visible label. */
  label: string
  isSmall?: boolean
  variant?: 'plain' | 'primary'
  className?: string
}

/** A Copy button that briefly confirms the copy. */
export function CopyAction({ text, label, isSmall = false, variant = 'plain', className }: CopyActionProps) {
  const { isCopied, copy } = useCopy(text)
  return (
    <>
      <Button isSmall={isSmall} variant={variant} className={className} aria-label={label} onClick={copy}>
        {isCopied ? <Check size={15} /> : <Copy size={15} />} Copy
      </Button>
      <span className="sr-only" aria-live="polite">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  )
}
