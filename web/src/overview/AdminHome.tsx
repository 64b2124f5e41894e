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
import { compareCounts, compareFailures, computeFailureShare, formatNumber, formatShare } from './figures.ts'
import { SetupCard } from './SetupCard.tsx'

type Claims = CurrentUser['claims']

/** The home page of administrators: figures, sign-ins, tasks and recent changes. */
export function AdminHome({ claims }: { claims: Claims }) {
  return (
    <>
      <header className="mb-6 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div>
          <h1>{greet(claims)}</h1>
          <p className="mt-1 text-ink2">{dayFormat.format(Date.now())}</p>
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

function Content() {
  const { data, error, refetch } = useQuery(query(getOverview, {}))
  if (error && !data) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <Placeholder />
  return (
    <>
      <Figures overview={data} />
      <div className="cols mt-4">
        <div className="grid gap-4">
          <SignIns days={data.days} />
          <div className="grid items-start gap-4 md:grid-cols-2">
            <Failures failures={data.failures} />
            <RecentChanges changes={data.changes} />
          </div>
        </div>
        <aside className="grid content-start gap-4 max-nav:order-first">
          <AttentionCard overview={data} />
          <SetupCard setup={data.setup} />
        </aside>
      </div>
    </>
  )
}

const figureGrid = 'grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4'

function Figures({ overview: { users, signIns, days } }: { overview: Overview }) {
  const { last24Hours, last7Days, previous7Days } = signIns
  const sum = ({ succeeded, failed }: Overview['signIns']['last7Days']) => succeeded + failed
  return (
    <div className={figureGrid}>
      <Figure
        label="Users"
        value={formatNumber(users.total)}
        trend={{ text: `+${formatNumber(users.created)}` }}
        comparison="in 30 days"
        series={accumulate(days.map(({ created }) => created))}
      />
      <Figure
        label="Active in 30 days"
        value={formatNumber(users.active)}
        comparison={`${formatShare(users.active, users.total)} of all users`}
        series={days.map(({ active }) => active)}
      />
      <Figure
        label="Sign-ins in 7 days"
        value={formatNumber(last7Days.succeeded)}
        trend={compareCounts(last7Days.succeeded, previous7Days.succeeded)}
        comparison={
          previous7Days.succeeded > 0 ? 'vs previous 7 days' : `${formatNumber(last24Hours.succeeded)} in 24 h`
        }
        series={days.slice(-14).map(({ succeeded }) => succeeded)}
      />
      <Figure
        label="Failed sign-ins in 7 days"
        value={formatShare(last7Days.failed, sum(last7Days))}
        trend={compareFailures(last7Days, previous7Days)}
        comparison={sum(previous7Days) > 0 ? 'vs previous 7 days' : `${formatNumber(last24Hours.failed)} in 24 h`}
        series={days.slice(-14).map(computeFailureShare)}
      />
    </div>
  )
}

const accumulate = (counts: number[]) => {
  let sum = 0
  return counts.map((count) => {
    sum += count
    return sum
  })
}

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
        <Link to="/admin/audit" search={{ action: 'signin.failed' } as never} className="link text-[13px]">
          View all
        </Link>
      }
    >
      {failures.length === 0 && <p className="px-4 pb-4 text-ink2 sm:px-[18px]">No failed sign-ins in 30 days</p>}
      <ul className="px-4 pb-3 sm:px-[18px]">
        {failures.slice(0, maxReasons).map(({ reason, count }) => (
          <li key={reason} className="grid min-h-8 grid-cols-[minmax(0,1fr)_minmax(0,0.9fr)_3rem] items-center gap-3">
            <span className="truncate" title={nameReason(reason)}>
              {nameReason(reason)}
            </span>
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
        {[0, 1, 2, 3].map((figure) => (
          <div key={figure} className="card grid h-[152px] max-sm:h-[172px] content-start gap-3 p-4 sm:px-[18px]">
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
