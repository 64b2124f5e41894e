import type { Grant } from '@passport/contract/entitlement-grants'
import type { Entitlement } from '@passport/contract/entitlements'
import type { Pickable } from '../ui/Picker.tsx'
import { startOfDay, toDay } from './days.ts'

/** The form of a grant. Days are those of the browser; an empty start is now, an empty end none. */
export interface GrantValues {
  orgId: Pickable[]
  quantity: string
  startsAt: string
  endsAt: string
  note: string
}

export const grantLabels: { [Name in keyof GrantValues]: string } = {
  orgId: 'Organisation',
  quantity: 'Quantity',
  startsAt: 'Starts',
  endsAt: 'Ends',
  note: 'Note',
}

/** The fields of errors that name none. */
export const grantFieldByCode = { 'quantity-invalid': 'quantity', 'period-invalid': 'endsAt' } as const

export const noGrant: GrantValues = { orgId: [], quantity: '', startsAt: '', endsAt: '', note: '' }

export const toGrantValues = (grant: Grant): GrantValues => ({
  orgId: [{ id: grant.org.id, name: grant.org.name, kind: 'org' }],
  quantity: grant.quantity === null ? '' : String(grant.quantity),
  startsAt: toDay(grant.startsAt),
  endsAt: grant.endsAt === null ? '' : toDay(grant.endsAt),
  note: grant.note,
})

/** Keeps the time of an instant whose day was not changed. */
const toInstant = (day: string, before: string | null | undefined): string | undefined =>
  before && toDay(before) === day ? before : startOfDay(day)?.toISOString()

/** Returns the body of a grant, without its organisation. */
export function toGrantBody(values: GrantValues, { kind }: Pick<Entitlement, 'kind'>, grant?: Grant) {
  const quantity = values.quantity.trim()
  const startsAt = toInstant(values.startsAt, grant?.startsAt)
  return {
    quantity: kind === 'flag' || quantity === '' ? null : Number(quantity),
    startsAt,
    endsAt: toInstant(values.endsAt, grant?.endsAt) ?? null,
    note: values.note,
  }
}
