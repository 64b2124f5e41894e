import type { ReactNode } from 'react'

interface ToolHeaderProps {
  title: ReactNode
  description: ReactNode
  action?: ReactNode
}

/** The heading of a tool, with its actions. */
export function ToolHeader({ title, description, action }: ToolHeaderProps) {
  return (
    <header className="mb-6 flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0">
        <h1 className="[overflow-wrap:anywhere]">{title}</h1>
        <p className="mt-1 text-ink2">{description}</p>
      </div>
      {action && <div className="flex flex-wrap items-center gap-2">{action}</div>}
    </header>
  )
}
