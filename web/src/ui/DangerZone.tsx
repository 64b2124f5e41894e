import { type ReactNode, useId } from 'react'

/** The last section of a page, for destructive actions. Its children are `DangerRow`s. */
export function DangerZone({ children }: { children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-box border border-bad bg-card">
      <h2 id={id} className="px-5 pt-4 pb-3">
        Danger zone
      </h2>
      <ul>{children}</ul>
    </section>
  )
}

interface DangerRowProps {
  title: string
  description: ReactNode
  /** The button. */
  action: ReactNode
}

export function DangerRow({ title, description, action }: DangerRowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line px-5 py-3.5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-[560]">{title}</p>
        <p className="text-ink2">{description}</p>
      </div>
      {action}
    </li>
  )
}
