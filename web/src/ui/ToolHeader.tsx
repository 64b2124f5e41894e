import type { ReactNode } from 'react'

interface ToolHeaderProps {
  title: ReactNode
  description: ReactNode
  /** Whether a small window has only the title, beside its actions. */
  isBrief?: boolean
  action?: ReactNode
  /** The menu of the page, after the actions; without any, it stays beside the title in a small window. */
  menu?: ReactNode
}

/** The heading of a tool, with its actions. */
export function ToolHeader({ title, description, isBrief = false, action, menu }: ToolHeaderProps) {
  return (
    <header
      className={`flex items-center justify-between gap-3 ${action ? 'flex-wrap' : ''} ${isBrief ? 'mb-4 sm:mb-6' : 'mb-6'}`}
    >
      <div className="min-w-0">
        <h1 className="[overflow-wrap:anywhere]">{title}</h1>
        <p className={`mt-1 text-ink2 ${isBrief ? 'max-sm:sr-only' : ''}`}>{description}</p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {action}
        {menu}
      </div>
    </header>
  )
}
