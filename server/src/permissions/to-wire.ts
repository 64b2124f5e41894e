import type * as terms from '@passport/contract/permission-terms'
import type { CheckVerdict, PermissionTree, Relationship, Trace, WhatIf } from '@passport/permissions'
import type * as z from 'zod/mini'

/* Conversions between the engine's types and those of the contract. */

/** Formats the expiration of a relationship, or of a subject or node of a tree, as RFC 3339 text. */
function toWire<T extends { expiresAt?: number }>({ expiresAt, ...rest }: T) {
  return { ...rest, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }) }
}

export const toWireRelationship = (relationship: Relationship): terms.Relationship => toWire(relationship)

export const fromWireRelationship = ({ expiresAt, ...rest }: terms.NewRelationship): Relationship => ({
  ...rest,
  ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
})

export const toWireVerdict = <P extends CheckVerdict['permissionship']>(verdict: {
  permissionship: P
  missing: string[]
}) => ({ permissionship: verdict.permissionship, partialCaveatMissing: verdict.missing })

export const toWireTrace = ({ missing, step, children, ...rest }: Trace): terms.Trace => ({
  ...rest,
  partialCaveatMissing: missing,
  step: step.kind === 'relationship' ? { ...step, relationship: toWireRelationship(step.relationship) } : step,
  children: children.map(toWireTrace),
})

export const toWireTree = ({ node, ...rest }: PermissionTree): terms.PermissionTree => ({
  ...toWire(rest),
  node:
    node.kind === 'leaf'
      ? { ...node, subjects: node.subjects.map(toWire) }
      : { ...node, children: node.children.map(toWireTree) },
})

export const parseWhatIf = ({ add, remove, schema }: z.infer<typeof terms.WhatIf>): WhatIf => ({
  add: add.map(fromWireRelationship),
  remove: remove.map(fromWireRelationship),
  ...(schema !== undefined && { schema }),
})
