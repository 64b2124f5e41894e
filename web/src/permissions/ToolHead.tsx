import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tabs } from '../ui/Tabs.tsx'

/** The head of a tool, with the ways to the others. */
export function ToolHead({ title, about, action }: { title: string; about: ReactNode; action?: ReactNode }) {
  return (
    <>
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1>{title}</h1>
          <p className="mt-1 text-ink2">{about}</p>
        </div>
        {action}
      </header>
      <ToolTabs />
    </>
  )
}

const alone = { exact: true, includeSearch: false }

/** The tools that there are. */
function ToolTabs() {
  return (
    <Tabs label="Tools">
      <Link to="/admin/tools/permissions" activeOptions={alone}>
        Permissions
      </Link>
      <Link to="/admin/tools/permissions/check" activeOptions={alone}>
        Check
      </Link>
      <Link to="/admin/tools/permissions/lookupResources" activeOptions={alone}>
        What can you access?
      </Link>
      <Link to="/admin/tools/permissions/lookupSubjects" activeOptions={alone}>
        Who can access that?
      </Link>
      <Link to="/admin/tools/relations" activeOptions={alone}>
        Relations
      </Link>
    </Tabs>
  )
}
