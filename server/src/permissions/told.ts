import type * as terms from '@passport/contract/permission-terms'
import type { CheckVerdict, Consistency } from '@passport/permissions/engine'
import type { Relationship } from '@passport/permissions/relationship'
import type { Trace } from '@passport/permissions/trace'

/** What the engine says and hears, in the words of the contract. */

export function toldRelationship({ expiresAt, caveat, ...rest }: Relationship): terms.Relationship {
  return {
    ...rest,
    ...(caveat && { caveat: { name: caveat.name, ...(caveat.context && { context: { ...caveat.context } }) } }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  }
}

export function heardRelationship({ expiresAt, ...rest }: terms.NewRelationship): Relationship {
  return { ...rest, ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }) }
}

export const toldVerdict = <P extends CheckVerdict['permissionship']>(verdict: {
  permissionship: P
  missing: string[]
}) => ({ permissionship: verdict.permissionship, partialCaveatMissing: verdict.missing })

export function toldTrace({ missing, step, caveat, children, ...rest }: Trace): terms.Trace {
  return {
    ...rest,
    partialCaveatMissing: missing,
    step: step.kind === 'relationship' ? { ...step, relationship: toldRelationship(step.relationship) } : step,
    ...(caveat && { caveat: { ...caveat, context: { ...caveat.context } } }),
    children: children.map(toldTrace),
  }
}

/** The options of a question. */
export const asked = (consistency: Consistency | undefined) => (consistency ? { consistency } : {})

/** How fresh the answer is to be, where it stands in an address. */
export function askedInQuery(query: { consistency?: Consistency['kind']; token?: string }) {
  const { consistency: kind, token = '' } = query
  if (kind === undefined) return {}
  const isOfMoment = kind === 'atLeastAsFresh' || kind === 'atExactSnapshot'
  return { consistency: isOfMoment ? { kind, token } : { kind } }
}
