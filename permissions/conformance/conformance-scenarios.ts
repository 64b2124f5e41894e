import type { ErrorCode } from '../src/error.ts'
import type { CaveatContext, RelationshipFilter, RelationshipUpdate } from '../src/graph/relationship.ts'

interface ExpectedError {
  /** The code, or equivalent codes. */
  fails: ErrorCode | ErrorCode[]
  /** The field; any if omitted. */
  at?: string
}

/** A request to an engine, and the expected result; steps run in order. */
export type Step =
  /** A check such as `document:one#view@user:ann`. The result is `yes`, `no`, or `needs` with the missing names. */
  | ({ check: string; context?: CaveatContext } & ({ is: string } | ExpectedError))
  /** A lookup such as `document#view@user:ann`. The results are ids; `one? day` depends on the day. */
  | ({ resources: string; context?: CaveatContext } & ({ are: string[] } | ExpectedError))
  /** A lookup such as `document:one#view@user`. The results are ids; `* - ann` excludes `ann`. */
  | ({ subjects: string; context?: CaveatContext } & ({ are: string[] } | ExpectedError))
  /** An expansion such as `document:one#view`. The result is the tree as printed by `printTree`. */
  | ({ expand: string } & ({ are: string[] } | ExpectedError))
  | ({ read: RelationshipFilter } & ({ are: string[] } | ExpectedError))
  | ({
      write: string[]
      operation?: RelationshipUpdate['operation']
      must?: RelationshipFilter
      mustNot?: RelationshipFilter
    } & ({ works: true } | ExpectedError))
  | ({ erase: RelationshipFilter; limit?: number } & ({ deleted: number; isComplete: boolean } | ExpectedError))
  | ({ schema: string } & ({ works: true } | ExpectedError))

/** A schema with relationships, and requests about them. */
export interface Scenario {
  name: string
  schema: string
  relationships?: string[]
  /** Whether an evaluator without storage and validation cannot run the scenario. */
  isAboutStorage?: true
  steps: Step[]
}

const userDefinition = 'definition user {}'

/** Creates a schema in which `document` has the relations aaa, bbb and ccc, and the permission. */
function createSchema(text: string): string {
  return `use self
${userDefinition}
definition document {
  relation aaa: user
  relation bbb: user
  relation ccc: user
  permission view = ${text}
}`
}

/** The members of aaa, bbb and ccc: `ab` is in the first two. */
const everyCombination = ['a', 'b', 'c', 'ab', 'ac', 'bc', 'abc'].flatMap((name) =>
  [...name].map((letter) => `document:one#${letter.repeat(3)}@user:in_${name}`),
)

function createExpressionScenario(text: string, members: string[]): Scenario {
  return {
    name: `${text} has ${members.length > 0 ? `the subjects ${members.join(', ')}` : 'no subjects'}`,
    schema: createSchema(text),
    relationships: everyCombination,
    steps: [
      { subjects: 'document:one#view@user', are: members.map((name) => `in_${name}`).sort() },
      ...['a', 'b', 'c', 'ab', 'ac', 'bc', 'abc'].map((name): Step => {
        return { check: `document:one#view@user:in_${name}`, is: members.includes(name) ? 'yes' : 'no' }
      }),
    ],
  }
}

/** `+` binds tightest, then `&`, then `-`, all left-associative. */
const precedence: Scenario[] = [
  createExpressionScenario('aaa + bbb', ['a', 'b', 'ab', 'ac', 'bc', 'abc']),
  createExpressionScenario('aaa & bbb', ['ab', 'abc']),
  createExpressionScenario('aaa - bbb', ['a', 'ac']),
  createExpressionScenario('aaa - bbb + ccc', ['a']),
  createExpressionScenario('(aaa - bbb) + ccc', ['a', 'c', 'ac', 'bc', 'abc']),
  createExpressionScenario('aaa + bbb & ccc', ['ac', 'bc', 'abc']),
  createExpressionScenario('aaa & bbb + ccc', ['ab', 'ac', 'abc']),
  createExpressionScenario('aaa - bbb & ccc', ['a', 'ab', 'ac']),
  createExpressionScenario('aaa - bbb - ccc', ['a']),
  createExpressionScenario('aaa & bbb - ccc', ['ab']),
  createExpressionScenario('aaa + bbb - ccc', ['a', 'b', 'ab']),
  createExpressionScenario('nil', []),
  createExpressionScenario('aaa - nil', ['a', 'ab', 'ac', 'abc']),
  createExpressionScenario('aaa & nil', []),
]

const arrows: Scenario[] = [
  {
    name: 'an arrow and .any need any object, .all needs every object and at least one',
    schema: `${userDefinition}
definition folder { relation viewer: user
}
definition document {
  relation parent: folder
  permission view = parent->viewer
  permission any = parent.any(viewer)
  permission all = parent.all(viewer)
}`,
    relationships: [
      'document:two#parent@folder:one',
      'document:two#parent@folder:other',
      'document:single#parent@folder:one',
      'folder:one#viewer@user:ann',
      'folder:one#viewer@user:bob',
      'folder:other#viewer@user:bob',
    ],
    steps: [
      { check: 'document:two#view@user:ann', is: 'yes' },
      { check: 'document:two#any@user:ann', is: 'yes' },
      { check: 'document:two#all@user:ann', is: 'no' },
      { check: 'document:two#all@user:bob', is: 'yes' },
      { check: 'document:single#all@user:ann', is: 'yes' },
      { check: 'document:none#all@user:ann', is: 'no' },
      { check: 'document:none#view@user:ann', is: 'no' },
      { resources: 'document#all@user:ann', are: ['single'] },
      { resources: 'document#all@user:bob', are: ['single', 'two'] },
      { subjects: 'document:two#all@user', are: ['bob'] },
    ],
  },
  {
    name: 'an arrow follows objects and the objects of usersets (CVE-2024-32001)',
    schema: `${userDefinition}
definition folder {
  relation parent: folder
  relation viewer: user
  permission view = viewer
}
definition document {
  relation parent: folder | folder#parent
  permission view = parent->view
}`,
    relationships: [
      'document:one#parent@folder:plain',
      'document:one#parent@folder:set#parent',
      'document:both#parent@folder:plain',
      'document:both#parent@folder:plain#parent',
      'folder:plain#viewer@user:ann',
      'folder:set#viewer@user:bob',
    ],
    steps: [
      { check: 'document:one#view@user:ann', is: 'yes' },
      { check: 'document:one#view@user:bob', is: 'yes' },
      { check: 'document:both#view@user:ann', is: 'yes' },
      { resources: 'document#view@user:ann', are: ['both', 'one'] },
      { resources: 'document#view@user:bob', are: ['one'] },
      { subjects: 'document:one#view@user', are: ['ann', 'bob'] },
    ],
  },
  {
    name: 'an arrow ignores subject types without the permission on the right',
    schema: `${userDefinition}
definition team { relation member: user
}
definition folder { relation viewer: user
}
definition document {
  relation parent: folder | team
  permission view = parent->viewer
}`,
    relationships: [
      'document:one#parent@folder:one',
      'document:one#parent@team:one',
      'team:one#member@user:ann',
      'folder:one#viewer@user:bob',
    ],
    steps: [
      { check: 'document:one#view@user:ann', is: 'no' },
      { check: 'document:one#view@user:bob', is: 'yes' },
      { subjects: 'document:one#view@user', are: ['bob'] },
    ],
  },
]

const wildcards: Scenario[] = [
  {
    name: 'a subtracted wildcard is respected, and a wildcard cannot be checked',
    schema: `${userDefinition}
definition document {
  relation viewer: user | user:*
  relation banned: user | user:*
  permission view = viewer - banned
  permission both = viewer & banned
}`,
    relationships: [
      'document:open#viewer@user:*',
      'document:open#viewer@user:ann',
      'document:open#viewer@user:eve',
      'document:open#banned@user:eve',
      'document:shut#viewer@user:*',
      'document:shut#viewer@user:ann',
      'document:shut#banned@user:*',
    ],
    steps: [
      { check: 'document:open#view@user:ann', is: 'yes' },
      { check: 'document:open#view@user:stranger', is: 'yes' },
      { check: 'document:open#view@user:eve', is: 'no' },
      { check: 'document:shut#view@user:ann', is: 'no' },
      { check: 'document:shut#both@user:ann', is: 'yes' },
      { check: 'document:open#view@user:*', fails: 'wildcard-subject', at: 'subject.id' },
      { resources: 'document#view@user:*', fails: 'wildcard-subject', at: 'subject.id' },
      { resources: 'document#view@user:eve', are: [] },
      { resources: 'document#view@user:stranger', are: ['open'] },
      { resources: 'document#both@user:eve', are: ['open', 'shut'] },
      { subjects: 'document:open#view@user', are: ['* - eve', 'ann'] },
      { subjects: 'document:shut#view@user', are: [] },
      { subjects: 'document:shut#both@user', are: ['*', 'ann'] },
      { subjects: 'document:open#both@user', are: ['eve'] },
    ],
  },
  {
    name: 'a userset contains itself',
    schema: `${userDefinition}
definition document {
  relation viewer: user
  permission view = viewer
}`,
    steps: [
      { check: 'document:one#view@document:one#view', is: 'yes' },
      { check: 'document:one#view@document:two#view', is: 'no' },
      { check: 'document:one#view@document:one#viewer', is: 'yes' },
    ],
  },
]

export const expressionScenarios = [...precedence, ...arrows, ...wildcards]
