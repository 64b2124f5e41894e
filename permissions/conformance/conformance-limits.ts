import type { Scenario, Step } from './conformance-scenarios.ts'

const userDefinition = 'definition user {}'

const nested = `${userDefinition}
definition group { relation member: user | group#member
}`

/** Returns the relationships of `length` nested groups below `group:c0`, with the user `deep` in the last. */
function nestGroups(length: number): string[] {
  const links = Array.from({ length }, (_, index) => `group:c${index}#member@group:c${index + 1}#member`)
  return [...links, `group:c${length}#member@user:deep`]
}

function checkCycle(resource: string): Step[] {
  return [
    { check: `${resource}@user:ann`, is: 'yes' },
    { check: `${resource}@user:eve`, fails: ['depth-exceeded', 'cycle'] },
  ]
}

const depth: Scenario[] = [
  {
    name: 'a chain of 49 nested usersets is followed, and one of 50 is too deep',
    schema: nested,
    relationships: nestGroups(50),
    steps: [
      { check: 'group:c1#member@user:deep', is: 'yes' },
      { check: 'group:c0#member@user:deep', fails: 'depth-exceeded' },
      { check: 'group:c2#member@user:other', is: 'no' },
    ],
  },
  {
    name: 'in two mutually nested groups, a member is found, and the check of another user fails',
    schema: nested,
    relationships: [
      'group:one#member@group:two#member',
      'group:two#member@group:one#member',
      'group:two#member@user:ann',
    ],
    steps: checkCycle('group:one#member'),
  },
  {
    name: 'a check fails if a cycle decides whether the subject is excluded',
    schema: `${nested}
definition document {
  relation viewer: user
  relation banned: group#member
  permission view = viewer - banned
  permission both = viewer & banned
}`,
    relationships: [
      'group:one#member@group:two#member',
      'group:two#member@group:one#member',
      'group:two#member@user:ann',
      'document:one#viewer@user:ann',
      'document:one#viewer@user:eve',
      'document:one#banned@group:one#member',
    ],
    steps: [
      { check: 'document:one#view@user:ann', is: 'no' },
      { check: 'document:one#view@user:eve', fails: ['depth-exceeded', 'cycle'] },
    ],
  },
]

const schemas: [name: string, text: string, works: boolean][] = [
  ['names of two characters are rejected', 'definition us {}', false],
  ['names of three characters work', 'definition usr {}', true],
  ['a relation needs three characters too', 'definition user {\n  relation me: user\n}', false],
  ['a statement ends with its line', 'definition user {\n  relation own: user\n  permission all = own }', false],
  ['a relation of an unknown type is rejected', 'definition user {\n  relation own: nobody\n}', false],
  ['an unknown relation is rejected', 'definition user {\n  permission all = own\n}', false],
  [
    'a permission is rejected on the left of an arrow',
    'definition user {\n  relation own: user\n  permission all = own\n  permission far = all->own\n}',
    false,
  ],
  [
    'mutually recursive permissions are rejected',
    'definition user {\n  permission one = two\n  permission two = one\n}',
    false,
  ],
  [
    'a userset with a wildcard is rejected',
    'definition user {}\ndefinition group {\n  relation member: user:*\n}\ndefinition document {\n  relation viewer: group#member\n}',
    false,
  ],
  [
    'a wildcard is rejected on the left of an arrow',
    'definition user {\n  relation own: user:*\n  permission far = own->own\n}',
    false,
  ],
  ['a duplicate relation is rejected', 'definition user {\n  relation own: user\n  relation own: user\n}', false],
  ['a duplicate definition is rejected', 'definition user {}\ndefinition user {}', false],
  ['`self` must be enabled', 'definition user {\n  permission all = self\n}', false],
  ['`self` works if enabled', 'use self\ndefinition user {\n  permission all = self\n}', true],
  ['expiration must be enabled', 'definition user {\n  relation own: user with expiration\n}', false],
]

export const limitScenarios: Scenario[] = [
  ...depth,
  ...schemas.map(([name, text, works]): Scenario => {
    const step: Step = works ? { schema: text, works: true } : { schema: text, fails: 'schema-invalid', at: 'schema' }
    return { name, schema: userDefinition, steps: [step] }
  }),
  {
    name: 'a schema change is rejected if stored relationships depend on a removed element',
    isAboutStorage: true,
    schema: 'definition user {}\ndefinition document {\n  relation viewer: user\n  relation editor: user\n}',
    relationships: ['document:one#viewer@user:ann'],
    steps: [
      { schema: userDefinition, fails: 'schema-in-use', at: 'schema' },
      {
        schema: `${userDefinition}\ndefinition document {\n  relation editor: user\n}`,
        fails: 'schema-in-use',
        at: 'schema',
      },
      {
        schema: `${userDefinition}\ndefinition group {}\ndefinition document {\n  relation viewer: group\n}`,
        fails: 'schema-in-use',
        at: 'schema',
      },
      { schema: `${userDefinition}\ndefinition document {\n  relation viewer: user\n}`, works: true },
    ],
  },
]
