import type { CurrentUser } from '@passport/contract/current-user'
import { Link, useRouterState } from '@tanstack/react-router'
import { findPlace } from './destinations.ts'
import { usePageLabel } from './page-title.ts'

/** Section, page and record, such as “Directory / Users / Ana Abara”; a narrow screen shows only the last. */
export function Breadcrumb({ user }: { user: CurrentUser }) {
  const path = useRouterState({ select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).pathname })
  const pageLabel = usePageLabel()
  const { section, page } = findPlace(user, path) ?? {}
  const isBelow = page !== undefined && path !== page.to && path !== page.alias
  const current = isBelow ? pageLabel : (page?.label ?? pageLabel)
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 flex-1 items-center gap-1.5 text-[13px] text-ink3">
      {section && (
        <>
          <span className="max-md:hidden">{section}</span>
          <Slash />
        </>
      )}
      {isBelow && (
        <>
          <Link
            to={page.to}
            activeOptions={{ exact: true, includeSearch: false }}
            className="shrink-0 hover:text-ink max-md:hidden"
          >
            {page.label}
          </Link>
          <Slash />
        </>
      )}
      <span aria-current="page" className="min-w-0 truncate font-[560] text-ink">
        {current}
      </span>
    </nav>
  )
}

const Slash = () => (
  <span aria-hidden="true" className="max-md:hidden">
    /
  </span>
)
