import type { Company, Person } from './company.ts'
import { pick } from './generated-directory.ts'

/** The sample schema of the permission tools, on the users and groups of the directory. */
const schema = `
  /** Holds between two hours of the day. */
  caveat office_hours(hour int, opens int, closes int) {
    hour >= opens && hour < closes
  }

  /** Viewers of a folder may view its content. */
  definition folder {
    relation parent: folder
    relation owner: passport/user
    relation viewer: passport/user | passport/group#member
    permission view = owner + viewer + parent->view
  }

  definition document {
    relation folder: folder
    relation owner: passport/user
    relation editor: passport/user | passport/group#member
    relation reviewer: passport/user
    relation viewer: passport/user | passport/user:* | passport/user with office_hours | passport/group#member
    relation banned: passport/user
    permission edit = owner + editor - banned
    /** Requires a reviewer who may edit; a ban overrides it. */
    permission publish = owner + editor & reviewer - banned
    permission view = viewer + owner + editor + folder->view - banned
  }`

const documents = ['handbook', 'roadmap', 'budget', 'minutes', 'checklist']

/**
 * Returns a validation file, which defines who may view and edit the documents of the groups. Its assertions hold for
 * this company.
 */
export function writePermissions({ groups, people, admins }: Company): string {
  const [everyone] = groups
  const [founder, assistant] = admins
  const active = people.filter(
    ({ activatedAt, disabledAt, deletedAt }) => activatedAt !== null && !disabledAt && !deletedAt,
  )
  const user = ({ id }: Person) => `passport/user:${id}`
  const banned = active.at(-1)
  const outsider = active.find(
    (person) => !everyone?.members.has(person) && !admins.includes(person) && person !== banned,
  )
  if (!everyone || !founder || !assistant || !banned || !outsider) throw new Error('The company is too small')
  const relationships = [
    `folder:company#viewer@passport/group:${everyone.id}#member`,
    `folder:company#owner@${user(founder)}`,
    `document:rules#folder@folder:company`,
    `document:rules#viewer@passport/user:*`,
    `document:rules#banned@${user(banned)}`,
    `document:payroll#owner@${user(founder)}`,
    `document:payroll#viewer@${user(assistant)}[office_hours:{"opens":9,"closes":17}]`,
  ]
  for (const group of groups) {
    const folder = `folder:group-${group.number}`
    const [owner] = group.owners.keys()
    relationships.push(`${folder}#viewer@passport/group:${group.id}#member`)
    if (owner) relationships.push(`${folder}#owner@${user(owner)}`)
    if (group.number % 6 === 0) relationships.push(`${folder}#parent@folder:company`)
    for (let index = 0; index <= group.number % 3; index++) {
      const document = `document:${pick(documents, group.number + index, 400)}-${group.number}-${index}`
      relationships.push(`${document}#folder@${folder}`)
      relationships.push(`${document}#editor@passport/group:${group.id}#member`)
      if (owner) relationships.push(`${document}#reviewer@${user(owner)}`)
    }
  }
  const text = [
    'schema: |-',
    schema.slice(1),
    'relationships: |-',
    ...relationships.map((line) => `  ${line}`),
    'assertions:',
    '  assertTrue:',
    `    - document:rules#view@${user(outsider)}`,
    `    - folder:company#view@${user(founder)}`,
    `    - document:payroll#view@${user(founder)}`,
    `    - 'document:payroll#view@${user(assistant)} with {"hour": 10}'`,
    '  assertCaveated:',
    `    - document:payroll#view@${user(assistant)}`,
    '  assertFalse:',
    `    - document:rules#view@${user(banned)}`,
    `    - document:payroll#view@${user(outsider)}`,
    `    - 'document:payroll#view@${user(assistant)} with {"hour": 20}'`,
  ]
  return `${text.join('\n')}\n`
}
