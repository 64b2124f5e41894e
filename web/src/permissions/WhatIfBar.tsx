import { Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, buttonClass } from '../ui/Button.tsx'
import { focusElement } from './keep-focus.ts'
import { describeWhatIf, setWhatIf, useWhatIf } from './what-if.ts'

interface WhatIfBarProps {
  /** Replaces the link to the page where the changes are edited. */
  children?: ReactNode
}

/** Describes the applied what-if changes, if any, with a button to clear them. */
export function WhatIfBar({ children }: WhatIfBarProps) {
  const whatIf = useWhatIf()
  if (!whatIf) return null
  return (
    <section
      aria-label="Applied what-if changes"
      className="my-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-box border border-line border-l-3 border-l-warn bg-card px-4 py-2.5"
    >
      <FlaskConical size={16} aria-hidden="true" className="text-warn" />
      <p className="min-w-0 flex-1 basis-64">
        <b className="font-[620]">What if:</b> {describeWhatIf(whatIf)}. <span className="text-ink2">Not saved.</span>
      </p>
      {children ?? (
        <Link to="/admin/tools/permissions" hash="what-if" className={buttonClass('plain', true)}>
          Edit or save
        </Link>
      )}
      <Button
        isSmall
        onClick={({ currentTarget }) => {
          // The bar disappears with its buttons.
          const section = currentTarget.closest('section')?.parentElement?.closest('section')
          focusElement(section ?? document.querySelector<HTMLElement>('h1'))
          setWhatIf(undefined)
        }}
      >
        Clear
      </Button>
    </section>
  )
}
