import type { ReactNode, Ref } from 'react'
import { Button } from '../ui/Button.tsx'

interface FoundLineProps {
  reference: string
  /** What stands beside the reference, such as its name. */
  beside: ReactNode
  below?: ReactNode
  verdict: ReactNode
  /** Whether it tells why. */
  isOpen: boolean
  onToggle: () => void
  /** Of its button, where the rows are one stop of the Tab key. */
  tabIndex?: number | undefined
  /** Where the path stands while it is told. */
  why?: Ref<HTMLDivElement>
  /** How it comes about; worked out when somebody asks. */
  path: () => ReactNode
}

/** One thing that was found, its verdict, and on demand why. */
export function FoundLine(props: FoundLineProps) {
  const { reference, beside, below, verdict, isOpen, onToggle, tabIndex, why, path } = props
  const word = isOpen ? 'Hide why' : 'Why'
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-44">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <code className="font-mono text-[13px] [overflow-wrap:anywhere]">{reference}</code>
            {beside}
          </p>
          {below}
        </div>
        {verdict}
        <Button
          isSmall
          look="ghost"
          tabIndex={tabIndex}
          aria-expanded={isOpen}
          aria-label={`${word} ${reference}`}
          onClick={onToggle}
        >
          {word}
        </Button>
      </div>
      {isOpen && (
        <div ref={why} className="mt-1 mb-2 scroll-my-2 rounded-ctl bg-well px-3 py-2.5">
          {path()}
        </div>
      )}
    </>
  )
}
