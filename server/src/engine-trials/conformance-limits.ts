import type { Scenario, Step } from './conformance-scenarios.ts'

const people = 'definition user {}'

const nested = `${people}
definition group { relation member: user | group#member
}`

/** `group:c0` within which are `length` groups, the last with deep in it. */
function chain(length: number): string[] {
  const links = Array.from({ length }, (_, index) => `group:c${index}#member@group:c${index + 1}#member`)
  return [...links, `group:c${length}#member@user:deep`]
}

function circle(resource: string): Step[] {
  return [
    { check: `${resource}@user:ann`, is: 'yes' },
    { check: `${resource}@user:eve`, fails: ['depth-exceeded', 'cycle'] },
  ]
}

const depth: Scenario[] = [
  {
    name: 'a chain of 49 nested sets is followed, one of 50 is not',
    schema: nested,
    relationships: chain(50),
    steps: [
      { check: 'group:c1#member@user:deep', is: 'yes' },
      { check: 'group:c0#member@user:deep', fails: 'depth-exceeded' },
      { check: 'group:c2#member@user:other', is: 'no' },
    ],
  },
  {
    name: 'two groups within each other: who is in is found, who is not is a fault and never a no',
    schema: nested,
    relationships: [
      'group:one#member@group:two#member',
      'group:two#member@group:one#member',
      'group:two#member@user:ann',
    ],
    steps: circle('group:one#member'),
  },
  {
    name: 'a circle among the banned never reads as not banned',
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
  ['names of two characters are refused', 'definition us {}', false],
  ['names of three characters work', 'definition usr {}', true],
  ['a relation needs three characters too', 'definition user {\n  relation me: user\n}', false],
  ['a statement ends with its line', 'definition user {\n  relation own: user\n  permission all = own }', false],
  ['a relation of an unknown type is refused', 'definition user {\n  relation own: nobody\n}', false],
  ['an unknown relation is refused', 'definition user {\n  permission all = own\n}', false],
  [
    'a permission may not stand on the left of an arrow',
    'definition user {\n  relation own: user\n  permission all = own\n  permission far = all->own\n}',
    false,
  ],
  [
    'permissions may not refer to each other in a circle',
    'definition user {\n  permission one = two\n  permission two = one\n}',
    false,
  ],
  [
    'a wildcard may not be had through a set',
    'definition user {}\ndefinition group {\n  relation member: user:*\n}\ndefinition document {\n  relation viewer: group#member\n}',
    false,
  ],
  [
    'a wildcard may not stand on the left of an arrow',
    'definition user {\n  relation own: user:*\n  permission far = own->own\n}',
    false,
  ],
  ['a name may not be given twice', 'definition user {\n  relation own: user\n  relation own: user\n}', false],
  ['a definition may not be given twice', 'definition user {}\ndefinition user {}', false],
  ['`self` has to be switched on', 'definition user {\n  permission all = self\n}', false],
  ['`self` works where it is', 'use self\ndefinition user {\n  permission all = self\n}', true],
  ['expiration has to be switched on', 'definition user {\n  relation own: user with expiration\n}', false],
]

export const limitScenarios: Scenario[] = [
  ...depth,
  ...schemas.map(([name, text, works]): Scenario => {
    const step: Step = works ? { schema: text, works: true } : { schema: text, fails: 'schema-invalid', at: 'schema' }
    return { name, schema: people, steps: [step] }
  }),
  {
    name: 'a schema is not changed where relationships would lose what they stand on',
    isAboutStorage: true,
    schema: 'definition user {}\ndefinition document {\n  relation viewer: user\n  relation editor: user\n}',
    relationships: ['document:one#viewer@user:ann'],
    steps: [
      { schema: people, fails: 'schema-in-use', at: 'schema' },
      { schema: `${people}\ndefinition document {\n  relation editor: user\n}`, fails: 'schema-in-use', at: 'schema' },
      {
        schema: `${people}\ndefinition group {}\ndefinition document {\n  relation viewer: group\n}`,
        fails: 'schema-in-use',
        at: 'schema',
      },
      { schema: `${people}\ndefinition document {\n  relation viewer: user\n}`, works: true },
    ],
  },
]
