import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../ui/Button.tsx'

interface FoldedQuestionProps {
  /** The question in the URL; undefined without one, which shows the form. */
  question: string | undefined
  /** The question as a sentence. */
  summary?: ReactNode
  /** The form. */
  children: ReactNode
}

/** Hides the form of a complete question in a small window until Edit is pressed, so that the answer comes first. */
export function FoldedQuestion({ question, summary, children }: FoldedQuestionProps) {
  const [edited, setEdited] = useState<string>()
  const isFolded = question !== undefined && question !== edited
  const form = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    // The focus would be lost with the form.
    if (isFolded && button.current?.offsetParent && form.current?.contains(document.activeElement))
      button.current.focus({ preventScroll: true })
  }, [isFolded])
  function edit() {
    flushSync(() => setEdited(question))
    form.current?.querySelector<HTMLElement>('input, select')?.focus()
  }
  return (
    <>
      {isFolded && (
        <div className="flex items-center gap-3 sm:hidden">
          {summary && <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">{summary}</p>}
          <Button ref={button} isSmall onClick={edit}>
            Edit question
          </Button>
        </div>
      )}
      <div ref={form} className={isFolded ? 'max-sm:hidden' : ''}>
        {children}
      </div>
    </>
  )
}
