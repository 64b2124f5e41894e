import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tabs } from '../ui/Tabs.tsx'

/** The header of a tool, with links to the others. */
export function ToolHeader({
  title,
  description,
  action,
}: {
  title: string
  description: ReactNode
  action?: ReactNode
}) {
  return (
    <>
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1>{title}</h1>
          <p className="mt-1 text-ink2">{description}</p>
        </div>
        {action}
      </header>
      <ToolTabs />
    </>
  )
}

const exactMatch = { exact: true, includeSearch: false }

/** The tabs of the tools. */
function ToolTabs() {
  return (
    <Tabs label="Tools">
      <Link to="/admin/tools/permissions" activeOptions={exactMatch}>
        Permissions
      </Link>
      <Link to="/admin/tools/permissions/check" activeOptions={exactMatch}>
        Check
      </Link>
      <Link to="/admin/tools/permissions/lookupResources" activeOptions={exactMatch}>
        What can you access?
      </Link>
      <Link to="/admin/tools/permissions/lookupSubjects" activeOptions={exactMatch}>
        Who can access that?
      </Link>
      <Link to="/admin/tools/relations" activeOptions={exactMatch}>
        Relations
      </Link>
    </Tabs>
  )
}
