import { Card } from '../ui/Card.tsx'
import type { Flow } from './device-flow.ts'
import { TimedList } from './TimedList.tsx'

/** What the device asked and heard, the latest first. */
export function PollLog({ flow: { log, intervalSeconds, stage } }: { flow: Flow }) {
  const lines = log.map(({ at, text }, key) => ({
    key,
    at,
    told: <code className="font-mono break-words">{text}</code>,
  }))
  return (
    <Card
      title="Log"
      about={stage === 'waiting' ? `Asks every ${intervalSeconds} s.` : 'What the device asks and hears.'}
    >
      <TimedList label="Log of the device" lines={lines.toReversed()} />
    </Card>
  )
}
