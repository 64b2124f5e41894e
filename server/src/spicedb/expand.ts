import { v1 } from '@authzed/authzed-node'
import type { ExpandAnswer, ExpandQuestion, PermissionEngine, PermissionTree } from '@passport/permissions/engine'
import type { SpiceDbClients } from './clients.ts'
import { ask, placesOf } from './faults.ts'
import { fromObject, fromSubject, toConsistency, toObject } from './messages.ts'

/** SpiceDB tells no caveats and no expirations in its tree. */
export function expandCalls({ permissions }: SpiceDbClients): Pick<PermissionEngine, 'expand'> {
  return {
    expand: async ({ resource, permission }: ExpandQuestion, options): Promise<ExpandAnswer> => {
      const answer = await ask(
        () => placesOf({ resource, permission }),
        () =>
          permissions.promises.expandPermissionTree({
            consistency: toConsistency(options?.consistency),
            resource: toObject(resource),
            permission,
          }),
      )
      if (!answer.treeRoot) throw new Error('SpiceDB gave no tree.')
      return { tree: fromTree(answer.treeRoot), expandedAt: answer.expandedAt?.token ?? '' }
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
  const place = { resource: fromObject(expandedObject), permission: expandedRelation }
  if (treeType.oneofKind === 'intermediate') {
    const { operation, children } = treeType.intermediate
    return { ...place, node: { kind: kinds[operation], children: children.map(fromTree) } }
  }
  const subjects = treeType.oneofKind === 'leaf' ? treeType.leaf.subjects.map(fromSubject) : []
  const sorted = subjects.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  return { ...place, node: { kind: 'leaf', subjects: sorted.map((subject) => ({ subject })) } }
}

const keyOf = ({ type, id, relation = '' }: ReturnType<typeof fromSubject>) => `${type}:${id}#${relation}`
