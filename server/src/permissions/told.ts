import type * as terms from '@passport/contract/permission-terms'
import type { CheckVerdict, Consistency, ExpandedSubject, PermissionTree, WhatIf } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { Relationship } from '@passport/permissions/relationship'
import type { Trace } from '@passport/permissions/trace'
import type * as z from 'zod/mini'

/** What the engine says and hears, in the words of the contract. */

export function toldRelationship({ expiresAt, caveat, ...rest }: Relationship): terms.Relationship {
  return { ...rest, ...toldTerms({ ...(caveat && { caveat }), ...(expiresAt !== undefined && { expiresAt }) }) }
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

/** What is left out is not told. */
const toldTerms = ({ caveat, expiresAt }: Pick<ExpandedSubject, 'caveat' | 'expiresAt'>) => ({
  ...(caveat && { caveat: { name: caveat.name, ...(caveat.context && { context: { ...caveat.context } }) } }),
  ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
})

export function toldTree({ resource, permission, node, ...conditions }: PermissionTree): terms.PermissionTree {
  return {
    resource,
    permission,
    ...toldTerms(conditions),
    node:
      node.kind === 'leaf'
        ? { ...node, subjects: node.subjects.map(({ subject, ...under }) => ({ subject, ...toldTerms(under) })) }
        : { ...node, children: node.children.map(toldTree) },
  }
}

export const heardWhatIf = ({ add, remove, schema }: z.infer<typeof terms.WhatIf>): WhatIf => ({
  add: add.map(heardRelationship),
  remove: remove.map(heardRelationship),
  ...(schema !== undefined && { schema }),
})

/** The options of a question. */
export const asked = (consistency: Consistency | undefined) => (consistency ? { consistency } : {})

/** How fresh the answer is to be, where it stands in an address. */
export function askedInQuery({ consistency: kind, token }: { consistency?: Consistency['kind']; token?: string }) {
  if (kind === 'atLeastAsFresh' || kind === 'atExactSnapshot') {
    if (token === undefined) throw new PermissionFault('token-invalid', `\`${kind}\` needs a token.`, 'token')
    return { consistency: { kind, token } }
  }
  // A token that is not looked at would be taken for a promise.
  if (token !== undefined)
    throw new PermissionFault('token-invalid', 'A token goes with `atLeastAsFresh` or `atExactSnapshot`.', 'token')
  return kind === undefined ? {} : { consistency: { kind } }
}
