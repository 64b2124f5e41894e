import type { HealthCheck } from '@passport/contract/health'
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

const states: Record<HealthCheck['status'], { tone: Tone; word: string }> = {
  ok: { tone: 'ok', word: 'Up' },
  slow: { tone: 'warn', word: 'Slow' },
  down: { tone: 'bad', word: 'Down' },
  off: { tone: 'off', word: 'Off' },
}

const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const formatTime = (instant: string) => timeFormat.format(Date.parse(instant))

/** The columns from 768 px; below, the history is on a line of its own. */
const columns = 'md:grid-cols-[minmax(0,1.15fr)_4.5rem_minmax(0,1.5fr)_7.5rem_4.5rem] md:items-center'

/** Every check with its state, its last 24 hours and its latency; those that are off come last. */
export function Dependencies({ checks, isPaused }: { checks: HealthCheck[]; isPaused: boolean }) {
  const nameProvider = useProviderName()
  const running = checks.filter(({ status }) => status !== 'off')
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
        {off.map((check) => (
          <Row key={check.name} check={check} slots={undefined} />
        ))}
      </ul>
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

function Row({ check, slots }: { check: HealthCheck; slots: Slot[] | undefined }) {
  const nameProvider = useProviderName()
  const { title, icon: Icon, guide } = describeCheck(check.name, nameProvider)
  const { tone, word } = states[check.status]
  const isOff = check.status === 'off'
  return (
    <li
      className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-2 border-t border-hair px-4 py-2 sm:px-[18px] ${columns}`}
    >
      <div className="flex min-w-0 items-center gap-3">
        <span
          aria-hidden="true"
          className={`grid size-8 shrink-0 place-items-center rounded-lg ${isOff ? 'bg-well text-ink3' : 'bg-selection text-stamp'}`}
        >
          <Icon size={17} strokeWidth={1.75} />
        </span>
        <p className="min-w-0">
          <span className="block truncate font-[580]" title={title}>
            {title}
          </span>
          <span className="block truncate text-[13px] text-ink2 max-md:whitespace-normal" title={check.detail ?? ''}>
            {check.detail}
          </span>
        </p>
      </div>
      <Status tone={tone}>{word}</Status>
      {isOff ? (
        <p className="col-span-full max-md:pl-11 md:col-span-2">
          {guide && (
            <a className="link text-[13px]" href={guide} aria-label={`Set up ${title}`}>
              Set up
            </a>
          )}
        </p>
      ) : (
        <History title={title} slots={slots} />
      )}
      <span className="text-right whitespace-nowrap tabular-nums max-md:hidden">{formatMs(check.latencyMs)}</span>
    </li>
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
