import { Wrench } from 'lucide-react'
import type { ReactNode } from 'react'

interface ExplanationProps {
  title: ReactNode
  cause: string
  fix: string
  picture: ReactNode
  children?: ReactNode
}

/** Why a sign-in failed, and what to do: the conclusion of the page, so its largest text. */
export function Explanation({ title, cause, fix, picture, children }: ExplanationProps) {
  return (
    <section aria-labelledby="verdict" className="card px-4 py-4 sm:px-[18px]">
      <div className="flex gap-3.5">
        {picture}
        <div className="min-w-0 flex-1">
          <h2 id="verdict" className="text-[17px] leading-6 font-[640] [overflow-wrap:anywhere]">
            {title}
          </h2>
          <p className="mt-1 text-ink2">{toCode(cause)}</p>
          <p className="mt-3 flex gap-2.5 rounded-ctl bg-well px-3 py-2.5">
            <Wrench size={16} strokeWidth={1.75} aria-hidden="true" className="mt-0.5 shrink-0 text-foil-text" />
            <span>
              <strong className="font-[580]">What to do: </strong>
              {toCode(fix)}
            </span>
          </p>
          {children}
        </div>
      </div>
    </section>
  )
}

/** Renders the parts of a text within backticks as code. */
const toCode = (text: string): ReactNode =>
  text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      <code key={index} className="font-mono text-[12.5px] [overflow-wrap:anywhere]">
        {part}
      </code>
    ) : (
      part
    ),
  )
