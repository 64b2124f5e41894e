import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { TabCount, Tabs } from '../ui/Tabs.tsx'
import { BackLink } from './BackLink.tsx'
import type { LinkTo } from './list-page.ts'
import { usePageTitle } from './page-title.ts'

export type RecordTab = LinkTo & {
  label: string
  /** The number of entries behind the tab; null while it loads. */
  count?: number | null | undefined
}

/** A row of the details; a falsy one is omitted. */
export type RecordDetail = [what: string, value: ReactNode] | false | null | undefined | ''

interface RecordPageProps {
  /** The list of the record. */
  back: LinkTo & { label: string }
  /** An `Avatar` or an `ObjectIcon` of 60 px. */
  picture: ReactNode
  name: string
  /** A `Status` beside the name. */
  status?: ReactNode
  /** Distinguishing facts, in one line below the name; falsy ones are omitted. */
  facts?: ReactNode[]
  /** The id of the record, shown in the details with a copy button; omitted if the name is the id. */
  id?: string
  /** Buttons at the right of the header; the last one is the menu of actions. */
  actions?: ReactNode
  /** Each tab is a page with its own route. */
  tabs?: RecordTab[]
  /** Below the tabs or in place of them, such as the life of the record. */
  banner?: ReactNode
  /** The title of the card in the rail; “Details” by default. */
  detailsTitle?: string
  /**
   * The rows of that card, without the falsy ones: in the rail beside the sections, on narrow screens below them. Without
   * them there is no rail.
   */
  details?: RecordDetail[]
  /** A card above “Details”; on narrow screens above the sections. */
  lead?: ReactNode
  /** More cards below “Details”. */
  rail?: ReactNode
  children: ReactNode
}

/**
 * The template of every detail page. The children are `Card`s.
 *
 *     <RecordPage back={{ to: '/admin/users', label: 'Users' }} picture={<Avatar id={user.id} name={name} size={60} />}
 *       name={name} id={user.id} status={<Status tone="ok">Active</Status>} facts={[user.email]} tabs={userTabs(user.id)}
 *       details={[['Created', <RelativeTime at={…} />]]}>
 */
export function RecordPage(props: RecordPageProps) {
  const { back, picture, name, status, facts = [], id, actions, tabs = [], details, lead, rail, children } = props
  const { banner, detailsTitle = 'Details' } = props
  usePageTitle(name)
  const shownFacts = facts.filter(Boolean)
  return (
    <>
      <div className="md:hidden">
        <BackLink {...back} />
      </div>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-3">
        {picture}
        <div className="min-w-0 flex-1 basis-52">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 break-words">{name}</h1>
            {status}
          </div>
          {shownFacts.length > 0 && (
            <p className="mt-1 flex flex-wrap items-center gap-x-4 text-ink2 [overflow-wrap:anywhere]">
              {shownFacts.map((fact, index) => (
                <span key={index}>{fact}</span>
              ))}
            </p>
          )}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {tabs.length > 0 && (
        <Tabs label={name}>
          {tabs.map(({ to, params, label, count }) => (
            <Link key={label} to={to} params={params as never} activeOptions={{ exact: true, includeSearch: false }}>
              {label}
              {count !== undefined && <TabCount>{count}</TabCount>}
            </Link>
          ))}
        </Tabs>
      )}
      {(tabs.length === 0 || banner) && <div className={tabs.length === 0 ? 'mt-6' : ''}>{banner}</div>}
      {!details && <div className="grid grid-cols-1 gap-4">{children}</div>}
      {/* Below the sections, the rail appears after them: they grow when their content replaces the skeletons. */}
      {details && (
        <div className="cols max-nav:has-[>div_.skeleton]:[&>aside]:hidden">
          <div className="grid grid-cols-1 content-start gap-4">{children}</div>
          <aside className={`grid grid-cols-1 content-start gap-4 ${lead ? 'max-nav:contents' : ''}`}>
            {lead && <div className="max-nav:order-first">{lead}</div>}
            <Card title={detailsTitle}>
              <dl className="grid grid-cols-[minmax(96px,auto)_minmax(0,1fr)] gap-x-4 gap-y-2.5 px-4 pt-1 pb-4 sm:px-[18px]">
                {details
                  .filter((detail) => !!detail)
                  .map(([term, value]) => (
                    <Detail key={term} term={term}>
                      {value}
                    </Detail>
                  ))}
                {id !== undefined && (
                  <Detail term="ID">
                    <span className="-my-1.5 flex min-w-0 items-center gap-1">
                      <code className="truncate font-mono text-[12.5px]" title={id}>
                        {id}
                      </code>
                      <CopyButton text={id} label="Copy ID" />
                    </span>
                  </Detail>
                )}
              </dl>
            </Card>
            {rail}
          </aside>
        </div>
      )}
    </>
  )
}

function Detail({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink3">{term}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  )
}
