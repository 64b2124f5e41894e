import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { BackLink } from './BackLink.tsx'
import type { LinkTo } from './list-page.ts'
import { usePageTitle } from './page-title.ts'

interface RecordPageProps {
  /** The list of the record. */
  back: LinkTo & { label: string }
  /** The seed of its avatar pattern, usually its id; omitted for records without one. */
  seed?: string
  name: string
  /** A `Status`. */
  status?: ReactNode
  /** The id of the record, with a copy button. */
  id: string
  /** Buttons at the right of the header. */
  actions?: ReactNode
  /** Each tab is a page with its own route. */
  tabs?: (LinkTo & { label: string })[]
  /**
   * “At a glance”: beside the sections from 1200 px, otherwise below them, because a phone shows the tab's content
   * first.
   */
  summary?: [what: string, value: ReactNode][]
  children: ReactNode
}

/**
 * The template of every detail page. The children are `Card`s; a `DangerZone` comes last.
 *
 *     <RecordPage back={{ to: '/admin/users', label: 'Users' }} seed={user.id} name={user.displayname} id={user.id}
 *       status={<Status tone="ok">Active</Status>} tabs={userTabs(user.id)} glance={[['Created', <Moment at={…} />]]}>
 */
export function RecordPage(props: RecordPageProps) {
  const { back, seed, name, status, id, actions, tabs = [], summary = [], children } = props
  usePageTitle(name)
  return (
    <>
      <BackLink {...back} />
      <header className="flex flex-wrap items-center gap-x-4 gap-y-3">
        {seed !== undefined && <Identicon seed={seed} size={60} />}
        <div className="min-w-0 flex-1 basis-60">
          <h1 className="break-words">{name}</h1>
          <div className="mt-1 flex flex-wrap items-center gap-x-4">
            {status}
            <span className="inline-flex min-w-0 items-center gap-1 text-ink2">
              <code className="font-mono text-[12.5px] break-all">{id}</code>
              <CopyButton text={id} label="Copy ID" />
            </span>
          </div>
        </div>
        <div className="flex flex-wrap gap-2">{actions}</div>
      </header>
      {tabs.length > 0 ? (
        <Tabs label={name}>
          {tabs.map(({ to, params, label }) => (
            <Link key={label} to={to} params={params as never} activeOptions={{ exact: true, includeSearch: false }}>
              {label}
            </Link>
          ))}
        </Tabs>
      ) : (
        <div className="mt-6" />
      )}
      <div className="grid gap-6 min-[1200px]:grid-cols-[minmax(0,760px)_minmax(240px,1fr)]">
        <div className="grid min-w-0 content-start gap-6 min-[1200px]:row-start-1">{children}</div>
        {summary.length > 0 && <Summary rows={summary} />}
      </div>
    </>
  )
}

function Summary({ rows }: { rows: [string, ReactNode][] }) {
  return (
    <aside
      aria-label="At a glance"
      className="h-fit max-w-[360px] rounded-box border border-line bg-card px-5 py-4 max-[1199px]:max-w-[760px] min-[1200px]:sticky min-[1200px]:top-20"
    >
      <p className="mb-2 text-[13px] font-[560] text-ink2">At a glance</p>
      <dl className="grid gap-x-6 gap-y-2.5 max-[1199px]:grid-cols-[repeat(auto-fill,minmax(160px,1fr))]">
        {rows.map(([term, value]) => (
          <div key={term} className="min-w-0">
            <dt className="text-[13px] text-ink3">{term}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </aside>
  )
}
