import { parseRelationship } from '../src/graph/relationship-text.ts'
import type { EngineRequest, World } from './arbitrary-permissions.ts'

/** A case in which the engines once differed: the shrunk world of a failed run. */
interface Regression {
  name: string
  world: World
}

function createRegression(
  name: string,
  schema: string,
  relationships: string[],
  requests: EngineRequest[],
): Regression {
  return { name, world: { schema, relationships: relationships.map(parseRelationship), requests } }
}

function createStandingDifference(
  reason: RegExp,
  ...parts: Parameters<typeof createRegression>
): Regression & { reason: RegExp } {
  return { ...createRegression(...parts), reason }
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

const unknownPermission = { kind: 'check', resource: 'document:one', permission: 'missing', context: {} } as const

export const differentialRegressions: Regression[] = [
  createRegression(
    'of several errors in a request, the permission is reported before the subject',
    plain,
    [],
    [
      { ...unknownPermission, subject: 'user:*' },
      { ...unknownPermission, subject: 'nothing:one' },
      { ...unknownPermission, subject: 'group:one#missing' },
    ],
  ),
  createRegression(
    'a failing caveat is an error of the context',
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
    [{ kind: 'check', resource: 'group:one', permission: 'member', subject: 'user:ann', context: {} }],
  ),
  createRegression(
    'two conditional paths to a subject depend on the values of both',
    `caveat before(moment timestamp, limit timestamp) {
  moment < limit
}
definition user {}
definition group {
  relation member: user with before | group#member
}
definition folder {}
definition document {}`,
    [
      'group:one#member@group:two#member',
      'group:one#member@user:ann[before:{"moment":"2026-01-01T00:00:00Z"}]',
      'group:two#member@user:ann[before:{"limit":"2026-01-01T00:00:00Z"}]',
    ],
    [
      { kind: 'subjects', resource: 'group:one', permission: 'member', subject: 'user', context: {} },
      { kind: 'resources', type: 'group', permission: 'member', subject: 'user:ann', context: {} },
      { kind: 'check', resource: 'group:one', permission: 'member', subject: 'user:ann', context: {} },
    ],
  ),
  createRegression(
    'a subject excluded from one wildcard path may be included by another',
    `caveat is_on(on bool) {
  on
}
definition user {}
definition group {
  relation member: user:* | user:* with is_on
  relation barred: user | user with is_on
  permission everyone = member - barred
}
definition folder {}
definition document {
  relation reader: group#everyone
}`,
    [
      'document:one#reader@group:one#everyone',
      'document:one#reader@group:two#everyone',
      'document:two#reader@group:one#everyone',
      'document:two#reader@group:six#everyone',
      'group:one#member@user:*',
      'group:one#barred@user:ann',
      'group:one#barred@user:bob',
      'group:one#barred@user:cat[is_on]',
      'group:two#member@user:*',
      'group:two#barred@user:ann',
      'group:two#barred@user:bob[is_on]',
      'group:six#member@user:*[is_on]',
    ],
    ['one', 'two'].flatMap((id): EngineRequest[] => {
      const request = {
        kind: 'subjects',
        resource: `document:${id}`,
        permission: 'reader',
        subject: 'user',
        context: {},
      } as const
      return [request, { ...request, wildcards: 'exclude' }, { ...request, context: { on: true } }]
    }),
  ),
]

/** Cases in which the engines differ permanently, with the reason in `known-differences.ts`. */
export const standingDifferences: (Regression & { reason: RegExp })[] = [
  createStandingDifference(
    /ignores the conditions/,
    'a caveat in a relation that allows usersets of the type without one',
    `caveat is_on(on bool) {
  on
}
definition user {}
definition group {
  relation member: group#member | group with is_on
}
definition folder {}
definition document {}`,
    ['group:one#member@group:two[is_on]'],
    [{ kind: 'check', resource: 'group:one', permission: 'member', subject: 'group:two', context: { on: true } }],
  ),
  createStandingDifference(
    /values that its own check does not need/,
    'an unnecessary value, because another path to the same userset needs none',
    `caveat is_on(on bool) {
  on
}
caveat starts(day string) {
  day == "fri"
}
definition user {}
definition group {
  relation member: user
  relation barred: user with starts
  permission everyone = barred + member
}
definition folder {
  relation barred: group#everyone with is_on
}
definition document {}`,
    ['group:one#barred@user:cat[starts]', 'group:one#member@user:cat', 'folder:two#barred@group:one#everyone[is_on]'],
    [{ kind: 'resources', type: 'folder', permission: 'barred', subject: 'user:cat', context: {} }],
  ),
  createStandingDifference(
    /ignores the conditions/,
    'an expired relationship in a relation that allows usersets of the type without expiration',
    `use expiration
definition user {}
definition group {
  relation member: group#member | group with expiration
}
definition folder {}
definition document {}`,
    ['group:one#member@group:two[expiration:2001-01-01T00:00:00Z]'],
    [{ kind: 'check', resource: 'group:one', permission: 'member', subject: 'group:two', context: {} }],
  ),
  createStandingDifference(
    /accepts `self` for any type/,
    'self in a lookup of subjects of another type',
    `use self
definition user {}
definition group {}
definition folder {}
definition document {
  relation reader: user
  permission read = reader + self
}`,
    ['document:one#reader@user:ann'],
    [{ kind: 'subjects', resource: 'document:one', permission: 'read', subject: 'user', context: {} }],
  ),
  createStandingDifference(
    /ignores objects in `.all`/,
    'objects of a type without the permission that all must have',
    `definition user {}
definition group {}
definition folder {
  relation viewer: user
}
definition document {
  relation parent: folder | group
  permission read = parent.all(viewer)
}`,
    ['document:one#parent@folder:one', 'document:one#parent@group:one', 'folder:one#viewer@user:ann'],
    [{ kind: 'subjects', resource: 'document:one', permission: 'read', subject: 'user', context: {} }],
  ),
  createStandingDifference(
    /A failing caveat/,
    'a failing caveat where another already denies',
    `caveat is_on(on bool) {
  on
}
caveat labelled(labels map<string>) {
  labels["day"] == "fri"
}
definition user {}
definition group {
  relation member: user with is_on
  relation barred: group#member with labelled
}
definition folder {}
definition document {}`,
    ['group:one#barred@group:two#member[labelled:{"labels":{}}]', 'group:two#member@user:ann[is_on:{"on":false}]'],
    [{ kind: 'check', resource: 'group:one', permission: 'barred', subject: 'user:ann', context: {} }],
  ),
  createStandingDifference(
    /applies the conditions of one to another/,
    'conditions of one object applied to another',
    `caveat is_on(on bool) {
  on
}
caveat on_day(day string) {
  day == "fri"
}
definition user {}
definition group {}
definition folder {
  relation parent: folder | folder with is_on
  relation viewer: user
  relation barred: user
  permission edit = parent->barred & parent.all(viewer)
}
definition document {
  relation parent: folder | folder with on_day
  permission write = parent->edit
}`,
    [
      'document:one#parent@folder:one[on_day]',
      'document:one#parent@folder:two',
      'folder:one#parent@folder:six',
      'folder:one#parent@folder:two',
      'folder:two#parent@folder:six[is_on]',
      'folder:six#viewer@user:ann',
      'folder:two#viewer@user:ann',
      'folder:two#barred@user:ann',
    ],
    [
      { kind: 'check', resource: 'folder:two', permission: 'edit', subject: 'user:ann', context: {} },
      { kind: 'check', resource: 'document:one', permission: 'write', subject: 'user:ann', context: {} },
      { kind: 'check', resource: 'document:one', permission: 'write', subject: 'user:ann', context: { on: false } },
    ],
  ),
]
