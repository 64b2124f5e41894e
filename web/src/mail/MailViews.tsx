import { Link, useSearch } from '@tanstack/react-router'
import { Tabs } from '../ui/Tabs.tsx'

const views = [
  { view: undefined, label: 'Queue' },
  { view: 'previews', label: 'Previews' },
] as const

/** The views of the page of emails. */
export function MailViews() {
  const { view: current } = useSearch({ strict: false }) as { view?: unknown }
  return (
    <div className="[&>nav]:mt-3 [&>nav]:mb-0">
      <Tabs label="Views">
        {views.map(({ view, label }) => (
          <Link
            key={label}
            to="/admin/mail"
            search={{ view } as never}
            // The router compares paths only.
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
            aria-current={current === view ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </Tabs>
    </div>
  )
}
