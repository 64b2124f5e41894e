import type { ReactNode, Ref } from 'react'
import { Button } from '../ui/Button.tsx'

interface ResultLineProps {
  reference: string
  /** Shown beside the reference, such as its name. */
  label: ReactNode
  details?: ReactNode
  verdict: ReactNode
  /** Whether the reason is shown. */
  isOpen: boolean
  onToggle: () => void
  /** The button's `tabIndex`, if the rows are a single tab stop. */
  tabIndex?: number | undefined
  /** The element of the open path. */
  reasonRef?: Ref<HTMLDivElement>
  /** The reason, rendered on demand. */
  renderReason: () => ReactNode
}

/** One result, its verdict, and on demand the reason. */
export function ResultLine(props: ResultLineProps) {
  const { reference, label, details, verdict, isOpen, onToggle, tabIndex, reasonRef, renderReason } = props
  const buttonText = isOpen ? 'Hide why' : 'Why'
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-44">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono text-[13px] [overflow-wrap:anywhere]">{reference}</code>
            {label}
          </p>
          {details}
        </div>
        {verdict}
        <Button
          isSmall
          variant="ghost"
          tabIndex={tabIndex}
          aria-expanded={isOpen}
          aria-label={`${buttonText} ${reference}`}
          onClick={onToggle}
        >
          {buttonText}
        </Button>
      </div>
      {isOpen && (
        <div ref={reasonRef} className="mt-1 mb-2 scroll-my-2 rounded-ctl bg-well px-3 py-2.5">
          {renderReason()}
        </div>
      )}
    </>
  )
}
