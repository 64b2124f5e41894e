import type { Scenario } from './conformance-scenarios.ts'

const schema = `use self
use expiration
caveat fridays(day string) {
  day == "fri"
}
definition user {}
definition group {
  relation member: user | group#member
}
definition folder {
  relation parent: folder
  relation viewer: user | group#member
  permission view = viewer + parent->view
}
definition document {
  relation folder: folder | folder with fridays
  relation viewer: user | user:* | group#member | user with fridays | user with expiration
  relation editor: user
  relation banned: user
  relation holder: user | folder
  permission edit = editor
  permission view = viewer + edit + folder->view - banned
  permission both = (viewer & edit) & folder.all(view)
  permission mixed = (viewer + edit) & banned - nil
  permission own = self + viewer
  permission none = nil
  permission through = folder->view
  permission alias = edit
  permission held = holder->view
}`

/** Trees of SpiceDB 1.54, with unordered parts sorted. Each starts with its permission or relation. */
const trees = [
  'document:one#viewer{group:all#member, user:*, user:ann, user:day, user:new}',
  'group:all#member{group:one#member, user:ann}',
  'document:one#edit(+ document:one#editor{user:eve})',
  'document:one#alias(+ document:one#edit(+ document:one#editor{user:eve}))',
  'document:two#view(- document:two#view(+ document:two#edit(+ document:two#editor{}) document:two#view(+) document:two#viewer{}) document:two#banned{})',
  'document:one#none(+ document:one#none{})',
  'document:one#own(+ document:one#own{document:one} document:one#viewer{group:all#member, user:*, user:ann, user:day, user:new})',
  'document:one#through(+ document:one#through(+ folder:low#view(+ folder:low#view(+ folder:top#view(+ folder:top#view(+) folder:top#viewer{group:all#member})) folder:low#viewer{}) folder:top#view(+ folder:top#view(+) folder:top#viewer{group:all#member})))',
  'document:one#view(- document:one#view(+ document:one#edit(+ document:one#editor{user:eve}) document:one#view(+ folder:low#view(+ folder:low#view(+ folder:top#view(+ folder:top#view(+) folder:top#viewer{group:all#member})) folder:low#viewer{}) folder:top#view(+ folder:top#view(+) folder:top#viewer{group:all#member})) document:one#viewer{group:all#member, user:*, user:ann, user:day, user:new}) document:one#banned{user:bob})',
  'document:one#both(& document:one#both(& folder:low#view(+ folder:low#view(+ folder:top#view(+ folder:top#view(+) folder:top#viewer{group:all#member})) folder:low#viewer{}) folder:top#view(+ folder:top#view(+) folder:top#viewer{group:all#member})) document:one#edit(+ document:one#editor{user:eve}) document:one#viewer{group:all#member, user:*, user:ann, user:day, user:new})',
  'document:one#mixed(- document:one#mixed(& document:one#banned{user:bob} document:one#mixed(+ document:one#edit(+ document:one#editor{user:eve}) document:one#viewer{group:all#member, user:*, user:ann, user:day, user:new})) document:one#mixed{})',
  'document:one#held(+ document:one#held(+ document:one#held{}))',
]

export const expandScenarios: Scenario[] = [
  {
    name: 'trees have one level of each relation, and follow arrows',
    schema,
    relationships: [
      'document:one#viewer@user:ann',
      'document:one#viewer@user:*',
      'document:one#viewer@group:all#member',
      'document:one#viewer@user:day[fridays]',
      'document:one#viewer@user:old[expiration:2001-01-01T00:00:00Z]',
      'document:one#viewer@user:new[expiration:2999-01-01T00:00:00Z]',
      'document:one#editor@user:eve',
      'document:one#banned@user:bob',
      'document:one#holder@user:ann',
      'document:one#folder@folder:top',
      'document:one#folder@folder:low[fridays]',
      'folder:low#parent@folder:top',
      'folder:top#viewer@group:all#member',
      'group:all#member@user:ann',
      'group:all#member@group:one#member',
    ],
    steps: [
      ...trees.map((tree) => ({ expand: /^[^{(]+/.exec(tree)?.[0] ?? '', are: [tree] })),
      { expand: 'document:one#other', fails: 'unknown-permission', at: 'permission' },
      { expand: 'thing:one#view', fails: 'unknown-type', at: 'resource.type' },
    ],
  },
  {
    name: 'a tree with a cycle exceeds the depth limit',
    schema,
    relationships: ['folder:one#parent@folder:two', 'folder:two#parent@folder:one'],
    steps: [{ expand: 'folder:one#view', fails: 'depth-exceeded' }],
  },
]
