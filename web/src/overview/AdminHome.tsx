import type { CurrentUser } from '@passport/contract/current-user'
import { getOverview, type Overview } from '@passport/contract/overview'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Mail, Plus } from 'lucide-react'
import { query, toFailure } from '../app/api.ts'
import { EventRows } from '../audit/Sentence.tsx'
import { nameReason } from '../directory/failure-reasons.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { DayChart } from '../ui/DayChart.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { AttentionCard } from './Attention.tsx'
import { Figure } from './Figure.tsx'
import { compareCounts, compareFailures, formatNumber, formatShare } from './figures.ts'
import { SetupCard } from './SetupCard.tsx'

type Claims = CurrentUser['claims']

/** The home page of administrators: figures, sign-ins, tasks and recent changes. */
export function AdminHome({ claims }: { claims: Claims }) {
  return (
    <>
      <header className="mb-6 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div>
          <h1>{greet(claims)}</h1>
          <p className="mt-1 text-ink2">
            {dayFormat.format(Date.now())}
            <UserCount />
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Link to="/admin/users/invitations/create" className={buttonClass()}>
            <Mail size={16} /> Invite by email
          </Link>
          <Link to="/admin/users/create" className={buttonClass('primary')}>
            <Plus size={16} /> Create user
          </Link>
        </div>
      </header>
      <Content />
    </>
  )
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })

/** Greets by the time of day, with the first word of the name. */
function greet({ name, preferred_username: username }: Claims): string {
  const hour = new Date().getHours()
  const time = hour < 12 ? 'morning' : hour < 18 ? 'afternoon' : 'evening'
  const shortName = name?.split(' ')[0] ?? username
  return `Good ${time}${shortName ? `, ${shortName}` : ''}`
}

/** The number of users, with the new ones. */
function UserCount() {
  const { data } = useQuery(query(getOverview, {}))
  // While it loads, it takes the space of the usual text.
  const { total, active, created } = data?.users ?? { total: 2000, active: 1000, created: 10 }
  return (
    <span className={data ? '' : 'invisible'}>
      {' · '}
      <Link to="/admin/users" className="hover:underline">
        {formatNumber(total)} users
      </Link>
      , {formatNumber(active)} active and {formatNumber(created)} new in 30 days
    </span>
  )
}

function Content() {
  const { data, error, refetch } = useQuery(query(getOverview, {}))
  if (error && !data) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <Placeholder />
  return (
    <>
      <Figures overview={data} />
      <div className="cols mt-4">
        <div className="grid content-start gap-4">
          <SignIns days={data.days} />
          <Failures failures={data.failures} />
          <RecentChanges changes={data.changes} />
        </div>
        <aside className="grid content-start gap-4 max-nav:order-first">
          <AttentionCard overview={data} />
          <SetupCard overview={data} />
        </aside>
      </div>
    </>
  )
}

const figureGrid = 'grid grid-cols-2 gap-3 sm:gap-4 md:grid-cols-3 lg:grid-cols-5'

function Figures({ overview: { signIns, days } }: { overview: Overview }) {
  const { last24Hours, last7Days, previous7Days } = signIns
  const sum = (name: 'succeeded' | 'failed' | 'tokens' | 'errors' | 'requests') =>
    days.reduce((total, day) => total + day[name], 0)
  const [succeeded, failed, errors] = [sum('succeeded'), sum('failed'), sum('errors')]
  const sessions = days.map((day) => day.sessions)
  // The days of the overview are in UTC, those of a filter by day in local time.
  const from = `${days[0]?.day}T00:00Z`
  return (
    <div className={figureGrid}>
      <Figure
        label="Sign-ins"
        value={formatNumber(succeeded)}
        trend={compareCounts(last7Days.succeeded, previous7Days.succeeded)}
        comparison={previous7Days.succeeded > 0 ? 'this week' : `${formatNumber(last24Hours.succeeded)} in 24 h`}
        series={days.map((day) => day.succeeded)}
        to="/admin/audit/signins"
        search={{ result: 'succeeded', from }}
      />
      <Figure
        label="Failed sign-ins"
        value={formatNumber(failed)}
        trend={compareFailures(last7Days, previous7Days)}
        comparison={sumOf(previous7Days) > 0 ? 'this week' : `${formatShare(failed, succeeded + failed)} of all`}
        series={days.map((day) => day.failed)}
        to="/admin/audit/signins"
        search={{ result: 'failed', from }}
      />
      <Figure
        label="Active sessions"
        value={formatCount(sessions.findLast((count) => count !== null))}
        comparison="at the same time"
        series={sessions}
        to="/admin/users"
        search={{ sort: 'lastSignIn', direction: 'desc' }}
      />
      <Figure
        label="Tokens issued"
        value={formatNumber(sum('tokens'))}
        comparison={`${formatNumber(days.at(-1)?.tokens ?? 0)} today`}
        series={days.map(({ tokens }) => tokens)}
        to="/admin/identity/clients"
      />
      <Figure
        label="Errors"
        value={formatNumber(errors)}
        comparison={`${formatShare(errors, sum('requests'))} of requests`}
        series={days.map((day) => day.errors)}
        to="/admin/health"
        search={{ days: '30' }}
      />
    </div>
  )
}

const sumOf = ({ succeeded, failed }: Overview['signIns']['last7Days']) => succeeded + failed

const formatCount = (count: number | null | undefined) => (count == null ? '–' : formatNumber(count))

function SignIns({ days }: Pick<Overview, 'days'>) {
  const sum = (key: 'succeeded' | 'failed') => days.reduce((total, day) => total + day[key], 0)
  const [succeeded, failed] = [sum('succeeded'), sum('failed')]
  return (
    <Card title="Sign-ins by result" action={<span className="text-[13px] text-ink3">{days.length} days</span>}>
      <div className="px-4 pb-3 sm:px-[18px]">
        <DayChart
          name="Sign-ins per day, in UTC"
          label={`${formatNumber(succeeded)} sign-ins succeeded and ${formatNumber(failed)} failed (${formatShare(failed, succeeded + failed)}) in ${days.length} days`}
          names={{ count: 'Succeeded', failed: 'Failed' }}
          days={days.map(({ day, succeeded, failed }) => ({ day, count: succeeded, failed }))}
          height={160}
        />
      </div>
    </Card>
  )
}

const maxReasons = 6

function Failures({ failures }: { failures: Overview['failures'] }) {
  const most = failures[0]?.count ?? 1
  return (
    <Card
      title="Failures by reason"
      action={
        <Link to="/admin/audit/signins" search={{ result: 'failed' } as never} className="link text-[13px]">
          View all
        </Link>
      }
    >
      {failures.length === 0 && <p className="px-4 pb-4 text-ink2 sm:px-[18px]">No failed sign-ins in 30 days</p>}
      <ul className="px-4 pb-3 sm:px-[18px]">
        {failures.slice(0, maxReasons).map(({ reason, count }) => (
          <li
            key={reason}
            className="grid min-h-8 grid-cols-[minmax(0,1fr)_minmax(0,0.45fr)_2.5rem] sm:grid-cols-[minmax(0,1fr)_minmax(0,0.9fr)_3rem] items-center gap-3"
          >
            <Link
              to="/admin/audit/signins"
              search={{ result: 'failed', reason } as never}
              className="truncate hover:underline"
              title={nameReason(reason)}
            >
              {nameReason(reason)}
            </Link>
            <span aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-line">
              <span className="block h-full rounded-full bg-data-bad" style={{ width: `${(count / most) * 100}%` }} />
            </span>
            <span className="text-right">{formatNumber(count)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function RecentChanges({ changes }: { changes: Overview['changes'] }) {
  return (
    <Card
      title="Recent changes"
      action={
        <Link to="/admin/audit" className="link text-[13px]">
          Audit log
        </Link>
      }
    >
      {changes.length === 0 && <p className="px-4 pb-4 text-ink2 sm:px-[18px]">No changes yet</p>}
      <EventRows entries={changes} />
    </Card>
  )
}

/** The placeholder, in the layout of the loaded page. */
function Placeholder() {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading the overview</span>
      <div className={figureGrid}>
        {[0, 1, 2, 3, 4].map((figure) => (
          <div
            key={figure}
            className="card grid h-[152px] content-start max-md:first:col-span-2 gap-3 p-4 sm:px-[18px]"
          >
            <div className="skeleton h-4 w-24" />
            <div className="skeleton h-7 w-20" />
            <div className="skeleton h-4 w-32" />
          </div>
        ))}
      </div>
      <div className="cols mt-4">
        <div className="card grid h-[290px] pointer-coarse:h-[300px] content-start gap-4 p-4 sm:px-[18px]">
          <div className="skeleton h-5 w-36" />
          <div className="skeleton h-56" />
        </div>
        <div className="card grid h-[180px] content-start max-nav:order-first gap-4 p-4 sm:px-[18px]">
          <div className="skeleton h-5 w-36" />
          <div className="skeleton h-9" />
          <div className="skeleton h-9" />
        </div>
      </div>
    </div>
  )
}
