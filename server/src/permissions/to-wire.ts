import type * as terms from '@passport/contract/permission-terms'
import {
  type CheckVerdict,
  type Consistency,
  type ExpandedSubject,
  PermissionFault,
  type PermissionTree,
  type Relationship,
  type Trace,
  type WhatIf,
} from '@passport/permissions'
import type * as z from 'zod/mini'

/** Conversions between the engine's types and those of the contract. */

export function toWireRelationship({ expiresAt, caveat, ...rest }: Relationship): terms.Relationship {
  return { ...rest, ...toWireTerms({ ...(caveat && { caveat }), ...(expiresAt !== undefined && { expiresAt }) }) }
}

export function fromWireRelationship({ expiresAt, ...rest }: terms.NewRelationship): Relationship {
  return { ...rest, ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }) }
}

export const toWireVerdict = <P extends CheckVerdict['permissionship']>(verdict: {
  permissionship: P
  missing: string[]
}) => ({ permissionship: verdict.permissionship, partialCaveatMissing: verdict.missing })

export function toWireTrace({ missing, step, caveat, children, ...rest }: Trace): terms.Trace {
  return {
    ...rest,
    partialCaveatMissing: missing,
    step: step.kind === 'relationship' ? { ...step, relationship: toWireRelationship(step.relationship) } : step,
    ...(caveat && { caveat: { ...caveat, context: { ...caveat.context } } }),
    children: children.map(toWireTrace),
  }
}

/** Omits absent fields. */
const toWireTerms = ({ caveat, expiresAt }: Pick<ExpandedSubject, 'caveat' | 'expiresAt'>) => ({
  ...(caveat && { caveat: { name: caveat.name, ...(caveat.context && { context: { ...caveat.context } }) } }),
  ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
})

export function toWireTree({ resource, permission, node, ...conditions }: PermissionTree): terms.PermissionTree {
  return {
    resource,
    permission,
    ...toWireTerms(conditions),
    node:
      node.kind === 'leaf'
        ? { ...node, subjects: node.subjects.map(({ subject, ...under }) => ({ subject, ...toWireTerms(under) })) }
        : { ...node, children: node.children.map(toWireTree) },
  }
}

export const parseWhatIf = ({ add, remove, schema }: z.infer<typeof terms.WhatIf>): WhatIf => ({
  add: add.map(fromWireRelationship),
  remove: remove.map(fromWireRelationship),
  ...(schema !== undefined && { schema }),
})

/** The options of a question. */
export const consistencyOption = (consistency: Consistency | undefined) => (consistency ? { consistency } : {})

/** Reads the consistency from query parameters. */
export function parseConsistency({ consistency: kind, token }: { consistency?: Consistency['kind']; token?: string }) {
  if (kind === 'atLeastAsFresh' || kind === 'atExactSnapshot') {
    if (token === undefined) throw new PermissionFault('token-invalid', `\`${kind}\` requires a token.`, 'token')
    return { consistency: { kind, token } }
  }
  // Silently ignoring a token would suggest a guarantee.
  if (token !== undefined)
    throw new PermissionFault(
      'token-invalid',
      'A token is allowed only with `atLeastAsFresh` or `atExactSnapshot`.',
      'token',
    )
  return kind === undefined ? {} : { consistency: { kind } }
}
