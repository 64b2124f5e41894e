import { listTotals } from '@passport/contract/entitlement-grants'
import { type Entitlement, getEntitlement } from '@passport/contract/entitlements'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { formatCount } from '../directory/total.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { formatDate, type Moment } from './days.ts'
import { EntitlementFrame } from './EntitlementFrame.tsx'
import { GrantList } from './GrantList.tsx'
import { MomentPicker } from './MomentPicker.tsx'
import { TotalChart, TotalTable } from './TotalChart.tsx'
import { choosePeriod, toPeriod } from './total-steps.ts'
import { useMoment } from './use-moment.ts'
import { formatValue } from './words.ts'

/** The total of a definition over time, and its grants now or at the moment `at` of the URL. */
export const GrantsPage = () => (
  <EntitlementFrame>{(entitlement) => <Grants key={entitlement.id} entitlement={entitlement} />}</EntitlementFrame>
)

function Grants({ entitlement }: { entitlement: Entitlement }) {
  const { moment, showDay } = useMoment()
  return (
    <>
      {!entitlement.enabled && (
        <p role="status" className="rounded-box border border-line bg-card px-4 py-3 sm:px-[18px]">
          Disabled: these grants count nothing until it is enabled.
        </p>
      )}
      <TotalCard entitlement={entitlement} moment={moment} onPick={showDay} />
      <GrantList entitlement={entitlement} moment={moment} />
    </>
  )
}

interface TotalCardProps {
  entitlement: Entitlement
  moment: Moment | undefined
  onPick: (day: string) => void
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' })

function TotalCard({ entitlement, moment, onPick }: TotalCardProps) {
  const { id, kind, unit, createdAt } = entitlement
  const [now] = useState(() => new Date())
  const [start, setStart] = useState<Date>()
  const period = start ? toPeriod(start) : choosePeriod(new Date(createdAt), now, moment?.instant)
  const { data, error, refetch } = useQuery({
    ...query(listTotals, {
      params: { entitlementId: id },
      query: { from: period.from.toISOString(), to: period.to.toISOString() },
    }),
    placeholderData: keepPreviousData,
  })
  const counted = kind === 'flag' ? 'organisations' : (unit ?? 'in total')
  const at = moment?.instant ?? now
  const move = (months: number) => setStart(toPeriod(period.from, months).from)
  const pick = (day: string) => {
    setStart(undefined)
    onPick(day)
  }
  return (
    <Card
      title={kind === 'flag' ? 'Organisations over time' : 'Total over time'}
      action={
        <div className="-my-1 flex items-center gap-1 text-[13px] text-ink2">
          <Button variant="ghost" isSmall aria-label="Earlier months" onClick={() => move(-6)}>
            <ChevronLeft size={15} aria-hidden="true" />
          </Button>
          <span className="tabular-nums">
            {monthFormat.format(period.from)} – {monthFormat.format(new Date(period.to.getTime() - 1))}
          </span>
          <Button variant="ghost" isSmall aria-label="Later months" onClick={() => move(6)}>
            <ChevronRight size={15} aria-hidden="true" />
          </Button>
        </div>
      }
    >
      <div className="px-4 pt-2 pb-3 sm:px-[18px]">
        {error ? (
          <ErrorCard failure={toFailure(error, 'load the total')} onRetry={() => void refetch()} />
        ) : data ? (
          <TotalChart points={data} period={period} unit={counted} at={at} now={now} onPick={onPick} />
        ) : (
          <div className="skeleton h-[174px]" />
        )}
        <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-0 flex-1 basis-72">
            <strong className="mr-3 font-[620]">{moment ? moment.label : `Today, ${formatDate(now)}`}</strong>
            <Facts entitlement={entitlement} moment={moment} />
          </p>
          <MomentPicker moment={moment} onPick={pick} hasMoved={start !== undefined} />
        </div>
        {data && <TotalTable points={data} period={period} unit={counted} />}
      </div>
    </Card>
  )
}

/** What is granted at a moment, in one line. */
function Facts({ entitlement: { id }, moment }: Pick<TotalCardProps, 'entitlement' | 'moment'>) {
  const at = moment ? { at: moment.instant.toISOString() } : {}
  const { data, isPlaceholderData } = useQuery({
    ...query(getEntitlement, { params: { entitlementId: id }, query: at }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (!data) return null
  const { total, orgCount, unit } = data
  const facts = [
    ...(total === null ? [] : [formatValue(total, unit ?? 'in total')]),
    formatCount(orgCount, ['organisation', 'organisations']),
  ]
  return <span className={`max-sm:block ${isPlaceholderData ? 'text-ink3' : 'text-ink2'}`}>{facts.join(' · ')}</span>
}
