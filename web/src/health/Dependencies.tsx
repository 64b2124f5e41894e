import type { HealthCheck } from '@passport/contract/health'
import { Link } from '@tanstack/react-router'
import { useProviderName } from '../app/provider-names.ts'
import { describeCheck } from '../directory/check-words.ts'
import { Card } from '../ui/Card.tsx'
import { ChartTable } from '../ui/ChartTable.tsx'
import { Sparkline } from '../ui/Sparkline.tsx'
import { Status, type Tone } from '../ui/Status.tsx'
import { StatusStrip } from '../ui/StatusStrip.tsx'
import { useNow } from '../ui/use-now.ts'
import { useSamples } from './use-health.ts'
import { describeHistory, fillSlots, formatMs, type Slot } from './words.ts'

const states: Record<Exclude<HealthCheck['status'], 'off'>, { tone: Tone; word: string }> = {
  ok: { tone: 'ok', word: 'Up' },
  slow: { tone: 'warn', word: 'Slow' },
  down: { tone: 'bad', word: 'Down' },
}

type Running = HealthCheck & { status: keyof typeof states }
const isRunning = (check: HealthCheck): check is Running => check.status !== 'off'

const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const formatTime = (instant: string) => timeFormat.format(Date.parse(instant))

/** The columns from 768 px; below, the history is on a line of its own. */
const columns = 'md:grid-cols-[minmax(0,1.15fr)_4.5rem_minmax(0,1.5fr)_7.5rem_4.5rem] md:items-center'

/** Every check with its state, its last 24 hours and its latency; the names of those that are off come last. */
export function Dependencies({ checks, isPaused }: { checks: HealthCheck[]; isPaused: boolean }) {
  const nameProvider = useProviderName()
  const running = checks.filter(isRunning)
  const off = checks.filter(({ status }) => status === 'off')
  const samples = useSamples(
    running.map(({ name }) => name),
    isPaused,
  )
  // Rounded to a minute, so that the slots stay the same between two answers.
  const now = Math.floor(useNow() / 60_000) * 60_000
  const rows = running.map((check, index) => ({
    check,
    title: describeCheck(check.name, nameProvider).title,
    slots: samples && fillSlots(samples[index] ?? [], now),
  }))
  return (
    <Card title="Dependencies" action={<Legend />}>
      <div aria-hidden="true" className={`hidden gap-x-4 px-[18px] pb-1.5 text-[12px] text-ink2 md:grid ${columns}`}>
        <span>Service</span>
        <span>State</span>
        <span>Last 24 hours</span>
        <span>Latency, p95</span>
        <span className="text-right">Now</span>
      </div>
      <ul>
        {rows.map(({ check, slots }) => (
          <Row key={check.name} check={check} slots={slots} />
        ))}
      </ul>
      {off.length > 0 && <NotSetUp checks={off} />}
      <div className="px-4 pb-2 sm:px-[18px]">
        <ChartTable
          name="Latency by half hour, 95th percentile"
          header={['From', ...rows.map(({ title }) => title)]}
          rows={() => toTableRows(rows.map(({ slots }) => slots ?? []))}
        />
      </div>
    </Card>
  )
}

/** Returns a row for each half hour, newest first. */
function toTableRows(histories: Slot[][]) {
  const slots = histories.find(({ length }) => length > 0) ?? []
  return slots
    .map(({ at }, index) => ({
      key: at,
      title: formatTime(at),
      cells: histories.map((history) => formatSample(history[index]?.sample)),
    }))
    .toReversed()
}

function formatSample(sample: Slot['sample']): string {
  if (!sample) return '–'
  if (sample.status === 'down') return 'Down'
  return sample.status === 'slow' ? `${formatMs(sample.latencyMs)}, slow` : formatMs(sample.latencyMs)
}

function Legend() {
  const marks = [
    ['Up', 'bg-ok opacity-55'],
    ['Slow', 'bg-warn'],
    ['Down', 'bg-bad'],
  ] as const
  return (
    <ul className="flex gap-4 text-[12px] text-ink2">
      {marks.map(([word, colour]) => (
        <li key={word} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2.5 rounded-[3px] ${colour}`} />
          {word}
        </li>
      ))}
    </ul>
  )
}

function Row({ check, slots }: { check: Running; slots: Slot[] | undefined }) {
  const { title, icon: Icon, page } = describeCheck(check.name, useProviderName())
  const { tone, word } = states[check.status]
  return (
    <li
      className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-2 border-t border-hair px-4 py-2 sm:px-[18px] ${columns}`}
    >
      <div className="flex min-w-0 items-center gap-3">
        <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-lg bg-selection text-stamp">
          <Icon size={17} strokeWidth={1.75} />
        </span>
        <p className="min-w-0">
          <span className="block truncate font-[580]" title={title}>
            {page ? (
              <Link to={page as never} className="hover:underline">
                {title}
              </Link>
            ) : (
              title
            )}
          </span>
          <span className="block truncate text-[13px] text-ink2 max-md:whitespace-normal" title={check.detail ?? ''}>
            {check.detail}
          </span>
        </p>
      </div>
      <Status tone={tone}>{word}</Status>
      <History title={title} slots={slots} />
      <span className="text-right whitespace-nowrap tabular-nums max-md:hidden">{formatMs(check.latencyMs)}</span>
    </li>
  )
}

/** The parts that are off, in one line, each with the guide that sets it up. */
function NotSetUp({ checks }: { checks: HealthCheck[] }) {
  const nameProvider = useProviderName()
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair px-4 py-3 sm:px-[18px]">
      <Status tone="off">Not set up</Status>
      <ul className="flex flex-wrap items-center gap-2">
        {checks.map(({ name }) => {
          const { title, icon: Icon, guide } = describeCheck(name, nameProvider)
          return (
            <li key={name}>
              <a className="btn btn-small font-normal" href={guide} aria-label={`Set up ${title}`}>
                <Icon size={15} strokeWidth={1.75} aria-hidden="true" />
                {title}
              </a>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** The strip and the line of latencies. Their space is reserved while they load. */
function History({ title, slots }: { title: string; slots: Slot[] | undefined }) {
  if (!slots)
    return (
      <>
        <span className="h-6 max-md:col-span-full" />
        <span className="h-7 max-md:hidden" />
      </>
    )
  const cells = slots.map(({ at, sample }) => ({
    key: at,
    state: sample?.status ?? null,
    title: `${formatTime(at)}: ${sample ? states[sample.status].word : 'no data'}`,
  }))
  const latencies = slots.map(({ sample }) => sample?.latencyMs ?? null)
  const most = Math.max(...latencies.map((latency) => latency ?? 0))
  return (
    <>
      <div className="max-md:col-span-full">
        <StatusStrip label={describeHistory(title, slots)} cells={cells} />
      </div>
      <div className="max-md:hidden">
        <Sparkline
          series={latencies}
          label={`${title}: latency of at most ${formatMs(most)} in 24 hours`}
          className="h-7 w-full"
        />
      </div>
    </>
  )
}
