import type { AwsSimulator, SimulatedPurchase, SimulatorAction } from '@passport/contract/aws-simulator'
import type { TimelineEntry } from '@passport/contract/aws-subscriptions'

/** Lets something happen at the simulated AWS. */
export type Play = (action: SimulatorAction, input?: object) => void

/** Returns the events of a purchase: those of its licence, whichever agreement they name. */
export const eventsOf = ({ events }: AwsSimulator, { agreementId, subscription }: SimulatedPurchase) =>
  events.filter((event) => event.agreementId === agreementId || event.agreementId === subscription?.agreementId)

/** “Purchase Agreement Created - Proposer” in words. */
export const nameEvent = (detailType: string): string =>
  detailType
    .replace(/ - \w+$/, '')
    .replace('Purchase Agreement', 'Agreement')
    .replace(/license/i, 'Licence')
    .toLowerCase()
    .replace(/^./, (first) => first.toUpperCase())

/** Something that happened, in the order in which Passport learned of it. */
export interface Step {
  key: string
  kind: 'event' | 'state' | 'grant'
  label: string
  isOpen: boolean
  state: string
}

const maxSteps = 12
/**
 * Merges the events of AWS with what Passport made of them: delivered events, changes of state and of grants by the time
 * at which Passport recorded them, then the events that are still on their way.
 */
export function toSteps(events: AwsSimulator['events'], entries: TimelineEntry[]): Step[] {
  const known = entries.toReversed().flatMap((entry): Step[] => {
    if (entry.kind === 'event')
      return [
        { key: entry.id, kind: 'event', label: nameEvent(entry.name.replaceAll('-', ' ')), isOpen: false, state: '' },
      ]
    const status = entry.after?.['status']
    if (entry.kind === 'change' && entry.name.endsWith('status-changed') && typeof status === 'string')
      return [{ key: entry.id, kind: 'state', label: status, isOpen: false, state: status }]
    if (entry.kind === 'grant')
      return [
        { key: entry.id, kind: 'grant', label: `${entry.entitlement?.name} ${entry.name}`, isOpen: false, state: '' },
      ]
    return []
  })
  const open = events
    .filter(({ status }) => status === 'held' || status === 'failed' || status === 'delivering')
    .map(
      (event): Step => ({ key: event.id, kind: 'event', label: nameEvent(event.detailType), isOpen: true, state: '' }),
    )
  let state = 'pending'
  return [...known, ...open]
    .map((step) => {
      if (step.kind === 'state') state = step.state
      return { ...step, state }
    })
    .slice(-maxSteps)
}
