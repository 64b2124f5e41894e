import type { Grant } from '@passport/contract/entitlement-grants'
import type { Entitlement } from '@passport/contract/entitlements'
import { countDays, formatDate } from './days.ts'

export const kindNames = { flag: 'Flag', quantity: 'Quantity' } as const
export const sourceNames = { manual: 'Manual', aws: 'AWS' } as const

/** Formats a value: “25 seats”, “On”, or “–” for none. A quantity that is true has no limit; a flag has no unit. */
export function formatValue(value: number | boolean | null, unit: string | null): string {
  if (value === null) return '–'
  if (value === true && unit) return 'No limit'
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  return unit ? `${value.toLocaleString('en')} ${unit}` : value.toLocaleString('en')
}

/** Formats what is granted of a quantity: “25 seats”, or “No limit” for the grant of a metered dimension. */
export const formatQuantity = (quantity: number | null, unit: string | null): string =>
  quantity === null ? 'No limit' : formatValue(quantity, unit)

/** Describes the kind of a definition: “Quantity, in seats”. */
export const formatKind = ({ kind, unit }: Pick<Entitlement, 'kind' | 'unit'>): string =>
  unit ? `${kindNames[kind]}, in ${unit}` : kindNames[kind]

/** A grant that ends within this time is shown as ending. */
const endingDays = 30

/** Returns the state of a grant at an instant. */
export function describeGrant(
  { status, startsAt, endsAt, ending }: Pick<Grant, 'status' | 'startsAt' | 'endsAt' | 'ending'>,
  now: Date,
): { tone: 'ok' | 'warn' | 'off'; text: string } {
  if (status === 'scheduled') return { tone: 'off', text: `Starts ${formatDate(startsAt)}` }
  if (status === 'ended') return { tone: 'off', text: endsAt ? `Ended ${formatDate(endsAt)}` : 'Ended' }
  if (endsAt === null) return { tone: 'ok', text: 'Active' }
  const days = countDays(now, new Date(endsAt))
  if (!ending && days > endingDays) return { tone: 'ok', text: 'Active' }
  if (days === 0) return { tone: 'warn', text: 'Ends today' }
  return { tone: 'warn', text: days === 1 ? 'Ends in 1 day' : `Ends in ${days} days` }
}
