import { Card } from '../ui/Card.tsx'
import type { Flow } from './device-flow.ts'
import { TimedList } from './TimedList.tsx'

/** The requests and responses of the device, newest first. */
export function PollLog({ flow: { log, intervalSeconds, stage } }: { flow: Flow }) {
  const lines = log.map(({ at, text }, key) => ({
    key,
    at,
    content: <code className="font-mono break-words">{text}</code>,
  }))
  return (
    <Card
      title="Log"
      description={stage === 'waiting' ? `Polls every ${intervalSeconds} s.` : 'Requests and responses of the device.'}
    >
      <TimedList label="Device log" lines={lines.toReversed()} />
    </Card>
  )
}
