import { parseRelationship } from '@passport/permissions/relationship-text'
import type { Question, World } from './arbitrary-permissions.ts'

/** Cases in which the engines once differed. A new one is the shrunk case of a failing run. */
interface Regression {
  name: string
  world: World
}

function regression(name: string, schema: string, relationships: string[], questions: Question[]): Regression {
  return { name, world: { schema, relationships: relationships.map(parseRelationship), questions } }
}

const plain = `definition user {}
definition group {
  relation member: user
}
definition folder {
  relation viewer: user
}
definition document {
  relation viewer: user | group#member
  permission view = viewer
}`

const unknownPermission = { ask: 'check', resource: 'document:one', permission: 'missing', context: {} } as const

export const differentialRegressions: Regression[] = [
  regression(
    'of several faults in a question the permission is told before the subject',
    plain,
    [],
    [
      { ...unknownPermission, subject: 'user:*' },
      { ...unknownPermission, subject: 'nothing:one' },
      { ...unknownPermission, subject: 'group:one#missing' },
    ],
  ),
  regression(
    'a caveat that cannot be worked out is a fault of the context',
    `caveat labelled(labels map<string>, day string) {
  labels["day"] == day
}
definition user {}
definition group {
  relation member: user with labelled
}
definition folder {}
definition document {}`,
    ['group:one#member@user:ann[labelled:{"labels":{},"day":"fri"}]'],
    [{ ask: 'check', resource: 'group:one', permission: 'member', subject: 'user:ann', context: {} }],
  ),
]
