import { type ReactNode, useId } from 'react'

interface CardProps {
  title: string
  /** A line under the title, for facts that neither the title nor the content shows. */
  description?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A section of a page with its own heading. */
export function Card({ title, description, action, children }: CardProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="card">
      <header className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-3.5 pb-2 sm:px-[18px]">
        <div className="min-w-0 flex-1 basis-40">
          <h2 id={id}>{title}</h2>
          {description && <p className="mt-0.5 text-[13px] text-ink2 [overflow-wrap:anywhere]">{description}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}
