import type { TimelineEntry } from '@passport/contract/aws-subscriptions'
import { describeField, diffFields } from '../directory/audit-changes.ts'
import { capitalize } from '../ui/capitalize.ts'
import { formatDay } from '../ui/format-day.ts'
import { endOf } from './words.ts'

/** What the events of AWS mean, by their detail types or, of older listings, by their actions. */
const events: Record<string, string> = {
  'license-updated': 'Licence updated',
  'license-deprovisioned': 'Licence ended',
  'agreement-created': 'Agreement created',
  'agreement-amended': 'Agreement amended',
  'agreement-ended': 'Agreement ended',
  'subscribe-success': 'Subscription confirmed',
  'subscribe-fail': 'Subscription failed',
  'unsubscribe-pending': 'Cancellation requested',
  'unsubscribe-success': 'Cancellation completed',
  'entitlement-updated': 'Entitlements updated',
}

export interface TimelineLine {
  title: string
  detail: string
  tone: 'ok' | 'warn' | 'bad' | 'grant' | 'plain'
}

/** Reports whether an entry needs attention. */
export const isProblem = ({ status, error }: TimelineEntry): boolean =>
  status === 'failed' || status === 'unmatched' || error !== null

/** Says what happened: a title and a line of detail. */
export function describeEntry(entry: TimelineEntry): TimelineLine {
  if (entry.kind === 'event') return describeEvent(entry)
  return entry.kind === 'grant' ? describeGrant(entry) : describeChange(entry)
}

function describeGrant({ name, entitlement, before, after }: TimelineEntry): TimelineLine {
  const [from, to] = [before?.['quantity'], after?.['quantity']]
  const isCounted = typeof to === 'number'
  const title = `${entitlement?.name ?? 'Entitlement'} ${name.replaceAll('-', ' ')}`
  const quantity = isCounted && to !== from ? ` ${typeof from === 'number' ? `from ${from} ` : ''}to ${to}` : ''
  const endsAt = after?.['endsAt']
  const until = typeof endsAt === 'string' ? endOf(endsAt) : null
  return {
    title: from === undefined && isCounted ? `${title}: ${to}` : `${title}${quantity}`,
    detail: until ? `Until ${formatDay(until.slice(0, 10), true)}` : '',
    tone: 'grant',
  }
}

function describeChange({ name, actor, before, after }: TimelineEntry): TimelineLine {
  const action = name.split('.').at(-1) ?? ''
  const status = after?.['status']
  if (action === 'status-changed' && typeof status === 'string')
    return { title: `Subscription ${status}`, detail: '', tone: status === 'active' ? 'ok' : 'plain' }
  const verb = capitalize(action.replaceAll('-', ' '))
  const changes = before && after ? diffFields(before, after) : []
  const texts = changes.flatMap(({ name, from, to }) =>
    isBrief(from) && isBrief(to) ? `${describeField(name)} ${from || 'none'} → ${to || 'none'}` : [],
  )
  return { title: actor ? `${verb} by ${actor.name}` : verb, detail: texts.join(', '), tone: 'plain' }
}

/** Ids and lists say nothing in one line. */
const isBrief = (text = '') => !text.includes('\n') && !/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text)

function describeEvent({ name, status, attempts, error }: TimelineEntry): TimelineLine {
  // “Purchase Agreement Created - Manufacturer”: the end says in which role the seller got it.
  const key = name
    .replace(/ - \w+$/, '')
    .replace(/^Purchase /, '')
    .toLowerCase()
    .replaceAll(' ', '-')
  const title = events[key] ?? name
  if (status === 'failed') return { title, detail: error ?? 'Could not be applied.', tone: 'bad' }
  if (status === 'unmatched') return { title, detail: error ?? 'Waits for its subscription.', tone: 'warn' }
  if (status === 'received') return { title, detail: 'Waits to be applied.', tone: 'plain' }
  if (status === 'ignored') return { title, detail: 'Changes nothing here.', tone: 'plain' }
  if (attempts > 1) return { title, detail: `Applied at attempt ${attempts}`, tone: 'warn' }
  return { title, detail: 'Event of AWS', tone: 'ok' }
}
