import type { AwsSubscription } from '@passport/contract/aws-subscriptions'
import { Check, X } from 'lucide-react'

const states = ['pending', 'active', 'ending', 'ended'] as const
const failedStates = ['pending', 'failed'] as const
const labels = { pending: 'Pending', active: 'Active', ending: 'Ending', ended: 'Ended', failed: 'Failed' } as const
const circle = 'grid size-[26px] shrink-0 place-items-center rounded-full border text-[12.5px] font-[600]'

/** The life of a subscription with its current state: Pending, Active, Ending, Ended; or Pending, Failed. */
export function StatePath({ status }: Pick<AwsSubscription, 'status'>) {
  const path: readonly AwsSubscription['status'][] = status === 'failed' ? failedStates : states
  const current = path.indexOf(status)
  return (
    <ol aria-label="State" className="mb-6 flex max-w-full gap-3 sm:gap-6">
      {path.map((state, index) => {
        const isCurrent = index === current
        return (
          <li
            key={state}
            aria-current={isCurrent ? 'step' : undefined}
            className={`flex items-center gap-2.5 ${index > 0 ? 'flex-1' : ''}`}
          >
            {index > 0 && <span aria-hidden="true" className="h-px min-w-3 flex-1 bg-line sm:mr-3.5" />}
            <span aria-hidden="true" className={`${circle} ${circleClass(state, index, current)}`}>
              {index > current ? index + 1 : state === 'failed' ? <X size={15} /> : <Check size={15} />}
            </span>
            <span className={isCurrent ? 'font-[620]' : 'text-ink2 max-sm:sr-only'}>{labels[state]}</span>
            {index < current && <span className="sr-only">(done)</span>}
          </li>
        )
      })}
    </ol>
  )
}

function circleClass(state: string, index: number, current: number): string {
  if (index > current) return 'border-edge text-ink2'
  if (index < current) return 'border-ok bg-ok text-card'
  return state === 'failed' ? 'border-bad bg-bad text-card' : 'border-act bg-act text-on-act'
}
