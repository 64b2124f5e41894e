import type { AwsSimulator, SimulatedEvent, SimulatedPurchase } from '@passport/contract/aws-simulator'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status, type Tone } from '../ui/Status.tsx'
import { eventsOf, nameEvent, type Play } from './simulator-steps.ts'

interface SimulatedEventsProps {
  data: AwsSimulator
  purchase: SimulatedPurchase
  play: Play
}

const states: Record<SimulatedEvent['status'], { label: string; tone: Tone }> = {
  held: { label: 'Held', tone: 'waiting' },
  delivering: { label: 'On its way', tone: 'waiting' },
  delivered: { label: 'Delivered', tone: 'ok' },
  failed: { label: 'Failed', tone: 'bad' },
  dropped: { label: 'Lost', tone: 'off' },
}

/** The events that AWS published, each of which can come late, twice, in any order or not at all. */
export function SimulatedEvents({ data, purchase, play }: SimulatedEventsProps) {
  const events = eventsOf(data, purchase).toReversed()
  const hasHeld = data.events.some(({ status }) => status === 'held')
  return (
    <Card
      title="Events"
      action={
        hasHeld && (
          <span className="flex flex-wrap gap-2">
            <Button isSmall onClick={() => play('deliver-all')}>
              Deliver all
            </Button>
            <Button isSmall onClick={() => play('deliver-reversed')}>
              In reverse
            </Button>
          </span>
        )
      }
    >
      <ul className="pb-1">
        {events.map((event) => {
          const { label, tone } = states[event.status]
          const name = nameEvent(event.detailType)
          const isOpen = event.status === 'held' || event.status === 'failed'
          return (
            <li
              key={event.id}
              className="flex min-h-[46px] flex-wrap items-center gap-x-4 gap-y-1.5 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]"
            >
              <span className="min-w-0 flex-1 basis-48 leading-snug">
                <span className="block font-[580]">{name}</span>
                <span className="text-[13px] text-ink3">
                  <RelativeTime at={event.time} />
                  {event.deliveries > 1 && `, ${event.deliveries} times`}
                </span>
              </span>
              <Status tone={tone}>{label}</Status>
              <span className="flex gap-2">
                {isOpen ? (
                  <>
                    <Button
                      isSmall
                      aria-label={`Deliver: ${name}`}
                      onClick={() => play('deliver', { eventId: event.id })}
                    >
                      Deliver
                    </Button>
                    <Button isSmall aria-label={`Lose: ${name}`} onClick={() => play('drop', { eventId: event.id })}>
                      Lose
                    </Button>
                  </>
                ) : (
                  <Button isSmall aria-label={`Repeat: ${name}`} onClick={() => play('deliver', { eventId: event.id })}>
                    Repeat
                  </Button>
                )}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
