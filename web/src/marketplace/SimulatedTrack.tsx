import type { AwsSimulator, SimulatedPurchase } from '@passport/contract/aws-simulator'
import { listAwsSubscriptionEvents } from '@passport/contract/aws-subscriptions'
import { useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'
import { eventsOf, toSteps } from './simulator-steps.ts'

const laneHeight = 30
const height = 3 * laneHeight + 6

const fills: Record<string, string> = {
  pending: 'var(--line)',
  active: 'var(--ok)',
  ending: 'var(--warn)',
  ended: 'var(--ink3)',
  failed: 'var(--bad)',
}

/** A picture of the life of a purchase: what AWS sent, the state in Passport, and the changes of its grants. */
export function SimulatedTrack({ data, purchase }: { data: AwsSimulator; purchase: SimulatedPurchase }) {
  const subscriptionId = purchase.subscription?.id ?? ''
  const entries = useQuery({
    ...query(listAwsSubscriptionEvents, { params: { subscriptionId } }),
    enabled: subscriptionId !== '',
    refetchInterval: 2_000,
  })
  const steps = toSteps(eventsOf(data, purchase), entries.data ?? [])
  if (steps.length === 0) return null
  const width = 100 / steps.length
  const label = steps.map((step) => (step.isOpen ? `${step.label} (on its way)` : step.label)).join(', ')
  return (
    <div className="grid grid-cols-[64px_minmax(0,1fr)] gap-x-3 text-[12px] text-ink3">
      <div aria-hidden="true" className="grid" style={{ height, gridTemplateRows: `repeat(3, ${laneHeight}px)` }}>
        <span className="self-center">From AWS</span>
        <span className="self-center">State</span>
        <span className="self-center">Grants</span>
      </div>
      <svg role="img" aria-label={`Life so far: ${label}`} width="100%" height={height}>
        {[0, 2].map((lane) => (
          <line key={lane} x1="0" x2="100%" y1={laneY(lane)} y2={laneY(lane)} stroke="var(--hair)" />
        ))}
        {steps.map((step, index) => {
          const x = `${(index + 0.5) * width}%`
          return (
            <g key={`${step.key} ${index}`}>
              <title>{step.isOpen ? `${step.label}, on its way` : step.label}</title>
              <rect
                x={`${index * width}%`}
                y={laneY(1) - 5}
                width={`${width}%`}
                height={10}
                fill={fills[step.state] ?? 'var(--line)'}
                opacity={step.isOpen ? 0.35 : 1}
              />
              {step.kind === 'event' && (
                <circle
                  cx={x}
                  cy={laneY(0)}
                  r="6"
                  fill={step.isOpen ? 'var(--card)' : 'var(--stamp)'}
                  stroke="var(--stamp)"
                  strokeWidth="2"
                />
              )}
              {step.kind === 'grant' && <circle cx={x} cy={laneY(2)} r="6" fill="var(--data)" />}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

const laneY = (lane: number) => (lane + 0.5) * laneHeight + 3
