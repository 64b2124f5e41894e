import type { Scenario } from './conformance-scenarios.ts'

const schema = `caveat on_day(day string, wanted string) {
  day == wanted
}
caveat is_on(on bool) {
  on
}
definition user {}
definition group {
  relation member: user with is_on
}
definition document {
  relation viewer: user | user with on_day | user:* with is_on | group#member
  relation banned: user with is_on
  permission view = viewer - banned
}`

export const caveatScenarios: Scenario[] = [
  {
    name: 'a caveat holds, fails or lacks values, and stored values override those of the request',
    schema,
    relationships: [
      'document:one#viewer@user:ann[on_day:{"wanted":"fri"}]',
      'document:one#viewer@user:bob',
      'document:one#banned@user:bob[is_on]',
      'document:set#viewer@group:all#member',
      'group:all#member@user:cat[is_on]',
    ],
    steps: [
      { check: 'document:one#view@user:ann', is: 'needs day' },
      { check: 'document:one#view@user:ann', context: { day: 'fri' }, is: 'yes' },
      { check: 'document:one#view@user:ann', context: { day: 'sat' }, is: 'no' },
      { check: 'document:one#view@user:ann', context: { day: 'sat', wanted: 'sat' }, is: 'no' },
      { check: 'document:one#view@user:ann', context: { day: 'fri', other: 1 }, is: 'yes' },
      { check: 'document:one#view@user:ann', context: { day: 5 }, fails: 'context-type', at: 'context.day' },
      { check: 'document:one#view@user:bob', is: 'needs on' },
      { check: 'document:one#view@user:bob', context: { on: true }, is: 'no' },
      { check: 'document:one#view@user:bob', context: { on: false }, is: 'yes' },
      { check: 'document:set#view@user:cat', is: 'needs on' },
      { check: 'document:set#view@user:cat', context: { on: true }, is: 'yes' },
      { resources: 'document#view@user:cat', are: ['set? on'] },
      { resources: 'document#view@user:cat', context: { on: false }, are: [] },
      { subjects: 'document:one#view@user', context: { on: false, day: 'fri' }, are: ['ann', 'bob'] },
      { subjects: 'document:one#view@user', context: { on: true, day: 'sat' }, are: [] },
      {
        check: 'document:one#view@user:ann',
        context: { day: 'x'.repeat(4100) },
        fails: 'context-too-large',
        at: 'context',
      },
    ],
  },
  {
    name: 'a wildcard with a caveat respects exclusions with caveats (CVE-2025-49011, GHSA-jhg6-6qrx-38mr)',
    schema,
    relationships: [
      'document:one#viewer@user:*[is_on:{"on":true}]',
      'document:one#banned@user:eve[is_on:{"on":true}]',
      'document:one#banned@user:dan[is_on]',
    ],
    steps: [
      { check: 'document:one#view@user:ann', is: 'yes' },
      { check: 'document:one#view@user:eve', is: 'no' },
      { check: 'document:one#view@user:dan', is: 'needs on' },
      { check: 'document:one#view@user:dan', context: { on: true }, is: 'no' },
      { subjects: 'document:one#view@user', context: { on: true }, are: ['* - dan, eve'] },
      { resources: 'document#view@user:eve', are: [] },
      { resources: 'document#view@user:dan', are: ['one? on'] },
    ],
  },
]
