import { Card } from '../ui/Card.tsx'
import type { Flow } from './device-flow.ts'

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** What the device asked and heard, the latest first. */
export function PollLog({ flow: { log, intervalSeconds, stage } }: { flow: Flow }) {
  return (
    <Card
      title="Log"
      about={stage === 'waiting' ? `Asks every ${intervalSeconds} s.` : 'What the device asks and hears.'}
    >
      <ol className="max-h-80 overflow-y-auto px-5 pb-4" aria-label="Log of the device">
        {log.toReversed().map(({ at, text }, index) => (
          <li key={log.length - index} className="flex gap-3 border-t border-line py-1.5 text-[13px]">
            <time className="text-ink3 tabular-nums">{clock.format(at)}</time>
            <code className="font-mono break-words">{text}</code>
          </li>
        ))}
      </ol>
    </Card>
  )
}
