import { type ReactNode, useId } from 'react'

interface CardProps {
  title: string
  /** A line under the title. */
  description?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A section of a page with its own heading. */
export function Card({ title, description, action, children }: CardProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-box border border-line bg-card">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-5 pt-4 pb-3">
        <div className="min-w-0">
          <h2 id={id}>{title}</h2>
          {description && <p className="mt-0.5 text-ink2 [overflow-wrap:anywhere]">{description}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}
