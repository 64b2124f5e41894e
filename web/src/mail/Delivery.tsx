import { getMailStatus, listMails, type MailStatus } from '@passport/contract/mail'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, Suspense, useEffect } from 'react'
import { query, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Note } from '../ui/Note.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status, type Tone } from '../ui/Status.tsx'

const Chart = lazyPart(async () => (await import('../ui/DayChart.tsx')).DayChart)

/** The interval at which the figures are read while emails wait. */
const pollMs = 5000

/** The mail server, what waits and what failed, and the emails of the last days. */
export function Delivery({ onShowFailed }: { onShowFailed: () => void }) {
  const { data, error, refetch } = useQuery({
    ...query(getMailStatus, {}),
    refetchInterval: ({ state }) => ((state.data as MailStatus | undefined)?.waiting ? pollMs : false),
  })
  const waiting = data?.waiting
  useEffect(() => {
    if (waiting !== undefined) void queryClient.invalidateQueries({ queryKey: [listMails.path] })
  }, [waiting])
  return (
    <section aria-label="Delivery" className="mt-4 card px-4 py-3.5 sm:px-[18px]">
      <div className="grid min-h-[172px] grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-4 min-[900px]:grid-cols-[300px_minmax(0,1fr)]">
        {error && !data && <ErrorCard failure={toFailure(error, 'load the figures')} onRetry={() => void refetch()} />}
        {data && <Figures status={data} onShowFailed={onShowFailed} />}
        {data && <Days days={data.days} />}
      </div>
    </section>
  )
}

const servers: Record<'ok' | 'slow' | 'down' | 'off', { label: string; tone: Tone }> = {
  ok: { label: 'Up', tone: 'ok' },
  slow: { label: 'Slow', tone: 'warn' },
  down: { label: 'Down', tone: 'bad' },
  off: { label: 'Not configured', tone: 'off' },
}

function Figures({ status, onShowFailed }: { status: MailStatus; onShowFailed: () => void }) {
  const { from, health, waiting, oldestWaitingAt, resendable } = status
  if (!from)
    return (
      <Note icon={<CircleAlert size={18} className="text-warn" />} title="No mail server">
        Nothing is sent: invitations have links to copy, and users get no notices. Set <code>SMTP_URL</code> and{' '}
        <code>MAIL_FROM</code>.{' '}
        <a href="/docs/mail" className="link">
          Set up email
        </a>
      </Note>
    )
  const server = health && servers[health.status]
  return (
    <dl className="grid grid-cols-2 content-start gap-x-4 gap-y-3">
      <Figure term="Waiting" detail={oldestWaitingAt && <RelativeTime at={oldestWaitingAt} />}>
        {waiting.toLocaleString('en')}
      </Figure>
      <Figure
        term="Failed"
        isBad={resendable > 0}
        detail={
          resendable > 0 && (
            <button type="button" className="link" onClick={onShowFailed}>
              View and resend
            </button>
          )
        }
      >
        {resendable.toLocaleString('en')}
      </Figure>
      <div>
        <dt className="text-[13px] text-ink3">Mail server</dt>
        <dd>
          <Link to="/admin/health" className="hover:underline">
            {server ? <Status tone={server.tone}>{server.label}</Status> : <Status tone="off">Not checked yet</Status>}
          </Link>
        </dd>
      </div>
      <div className="min-w-0">
        <dt className="text-[13px] text-ink3">Sender</dt>
        <dd className="truncate" title={`${from.name} <${from.address}>`}>
          {from.address}
        </dd>
      </div>
    </dl>
  )
}

interface FigureProps {
  term: string
  detail?: ReactNode
  isBad?: boolean
  children: ReactNode
}

const Figure = ({ term, detail, isBad = false, children }: FigureProps) => (
  <div className="min-h-[70px]">
    <dt className="text-[13px] text-ink3">{term}</dt>
    <dd className={`text-[22px] leading-7 font-[620] tabular-nums ${isBad ? 'text-bad' : ''}`}>{children}</dd>
    {detail && <dd className="text-[13px] text-ink2">{detail}</dd>}
  </div>
)

function Days({ days }: Pick<MailStatus, 'days'>) {
  const sum = (key: 'sent' | 'failed') => days.reduce((total, day) => total + day[key], 0).toLocaleString('en')
  return (
    <div className="min-h-[172px] min-w-0">
      <Suspense fallback={null}>
        <Chart
          name="Emails per day, in UTC"
          label={`${sum('sent')} emails were sent and ${sum('failed')} failed in ${days.length} days`}
          names={{ count: 'Sent', failed: 'Failed' }}
          days={days.map(({ day, sent, failed }) => ({ day, count: sent, failed }))}
          height={84}
        />
      </Suspense>
    </div>
  )
}
