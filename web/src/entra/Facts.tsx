import type { ReactNode } from 'react'
import { CopyButton } from '../ui/CopyButton.tsx'

/** Facts in two columns: a term and its value. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className="grid grid-cols-[minmax(96px,auto)_minmax(0,1fr)] gap-x-4 gap-y-2">{children}</dl>
)

export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink3">{term}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}

/** A machine-readable value with a copy button. */
export function CodeFact({ term, text }: { term: string; text: string | null }) {
  return (
    <Fact term={term}>
      {text ? (
        <span className="-my-1.5 flex min-w-0 items-center gap-1">
          <code className="truncate font-mono text-[12.5px]" title={text}>
            {text}
          </code>
          <CopyButton text={text} label={`Copy ${term}`} />
        </span>
      ) : (
        '–'
      )}
    </Fact>
  )
}
