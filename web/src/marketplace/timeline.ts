import type { TimelineEntry } from '@passport/contract/aws-subscriptions'
import { describeField, diffFields } from '../directory/audit-changes.ts'
import { capitalize } from '../ui/capitalize.ts'
import { formatDay } from '../ui/format-day.ts'
import { formatRelative } from '../ui/RelativeTime.tsx'
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

/** An event that took longer from AWS to here is shown as late. EventBridge takes seconds, or minutes after a failure. */
const lateMs = 10 * 60_000

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
  const org = after?.['org']
  if ((action === 'redeemed' || action === 'assigned') && typeof org === 'string')
    return {
      title: `${action === 'redeemed' ? 'Set up' : 'Assigned'}${by(actor)}`,
      detail: `For ${org}`,
      tone: 'plain',
    }
  const verb = capitalize(action.replaceAll('-', ' '))
  const changes = before && after ? diffFields(before, after) : []
  const texts = changes.flatMap(({ name, from, to }) =>
    isBrief(from) && isBrief(to) ? `${describeField(name)} ${from || 'none'} → ${to || 'none'}` : [],
  )
  return { title: verb + by(actor), detail: texts.join(', '), tone: 'plain' }
}

const by = (actor: TimelineEntry['actor']) => (actor ? ` by ${actor.name}` : '')

/** Ids and lists say nothing in one line. */
const isBrief = (text = '') => !text.includes('\n') && !/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text)

function describeEvent({ name, status, attempts, error, at, occurredAt }: TimelineEntry): TimelineLine {
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
  const delay = occurredAt === null ? 0 : Date.parse(at) - Date.parse(occurredAt)
  if (delay > lateMs)
    return { title, detail: `Arrived late: it is of ${formatRelative(occurredAt ?? at)}`, tone: 'warn' }
  // Agreement events name no product, so that they wait for the first event of the licence.
  if (attempts === 2 && key.startsWith('agreement-'))
    return { title, detail: 'Event of AWS, waited for its licence', tone: 'ok' }
  if (attempts > 1) return { title, detail: `Applied at attempt ${attempts}`, tone: 'warn' }
  return { title, detail: 'Event of AWS', tone: 'ok' }
}
