import { v1 } from '@authzed/authzed-node'
import type { ExpandAnswer, ExpandQuestion, PermissionEngine, PermissionTree } from '@passport/permissions'
import type { SpiceDbClients } from './clients.ts'
import { collectFieldPaths, withFaults } from './faults.ts'
import { fromObject, fromSubject, toConsistency, toObject } from './messages.ts'

/** SpiceDB's tree has no caveats or expirations. */
export function expandCalls({ permissions }: SpiceDbClients): Pick<PermissionEngine, 'expand'> {
  return {
    expand: async ({ resource, permission }: ExpandQuestion, options): Promise<ExpandAnswer> => {
      const response = await withFaults(
        () => collectFieldPaths({ resource, permission }),
        () =>
          permissions.promises.expandPermissionTree({
            consistency: toConsistency(options?.consistency),
            resource: toObject(resource),
            permission,
          }),
      )
      if (!response.treeRoot) throw new Error('SpiceDB returned no tree.')
      return { tree: fromTree(response.treeRoot), expandedAt: response.expandedAt?.token ?? '' }
    },
  }
}

const kinds = {
  [v1.AlgebraicSubjectSet_Operation.UNSPECIFIED]: 'union',
  [v1.AlgebraicSubjectSet_Operation.UNION]: 'union',
  [v1.AlgebraicSubjectSet_Operation.INTERSECTION]: 'intersection',
  [v1.AlgebraicSubjectSet_Operation.EXCLUSION]: 'exclusion',
} as const

function fromTree({ treeType, expandedObject, expandedRelation }: v1.PermissionRelationshipTree): PermissionTree {
  const base = { resource: fromObject(expandedObject), permission: expandedRelation }
  if (treeType.oneofKind === 'intermediate') {
    const { operation, children } = treeType.intermediate
    return { ...base, node: { kind: kinds[operation], children: children.map(fromTree) } }
  }
  const subjects = treeType.oneofKind === 'leaf' ? treeType.leaf.subjects.map(fromSubject) : []
  const sorted = subjects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return { ...base, node: { kind: 'leaf', subjects: sorted.map((subject) => ({ subject })) } }
}

const keyOf = ({ type, id, relation = '' }: ReturnType<typeof fromSubject>) => `${type}:${id}#${relation}`
