import { Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, buttonClass } from '../ui/Button.tsx'
import { focusOn } from './keep-focus.ts'
import { suppose, supposedText, useSupposition } from './supposition.ts'

/** Says that the answers below are of what is supposed, and ends that. */
export function SupposedBar({ children }: { children?: ReactNode }) {
  const supposed = useSupposition()
  if (!supposed) return null
  return (
    <section
      aria-label="Supposed"
      className="my-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-box border border-line border-l-3 border-l-warn bg-card px-4 py-2.5"
    >
      <FlaskConical size={16} aria-hidden="true" className="text-warn" />
      <p className="min-w-0 flex-1 basis-64">
        <b className="font-[620]">Supposed:</b> {supposedText(supposed)}.{' '}
        <span className="text-ink2">Nothing of it is saved.</span>
      </p>
      {children ?? (
        <Link to="/admin/tools/permissions" hash="suppose" className={buttonClass('plain', true)}>
          Change or save
        </Link>
      )}
      <Button
        isSmall
        onClick={({ currentTarget }) => {
          // The bar goes away with its buttons.
          const around = currentTarget.closest('section')?.parentElement?.closest('section')
          focusOn(around ?? document.querySelector<HTMLElement>('h1'))
          suppose(undefined)
        }}
      >
        Suppose nothing
      </Button>
    </section>
  )
}
