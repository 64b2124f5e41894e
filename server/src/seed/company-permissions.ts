import type { Company, User } from './company.ts'
import { pick } from './generated-directory.ts'

/** A sample schema for the permission tools; its subjects are users and groups of the directory. */
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
 * Generates a validation file with a schema, relationships that give groups access to their documents, and assertions
 * that hold for this company.
 */
export function generatePermissions({ groups, users, admins }: Company): string {
  const [everyone] = groups
  const [founder, assistant] = admins
  const active = users.filter(
    ({ activatedAt, disabledAt, deletedAt }) => activatedAt !== null && !disabledAt && !deletedAt,
  )
  const userSubject = ({ id }: User) => `passport/user:${id}`
  const banned = active.at(-1)
  const outsider = active.find((user) => !everyone?.members.has(user) && !admins.includes(user) && user !== banned)
  if (!everyone || !founder || !assistant || !banned || !outsider) throw new Error('The company is too small')
  const relationships = [
    `folder:company#viewer@passport/group:${everyone.id}#member`,
    `folder:company#owner@${userSubject(founder)}`,
    `document:rules#folder@folder:company`,
    `document:rules#viewer@passport/user:*`,
    `document:rules#banned@${userSubject(banned)}`,
    `document:payroll#owner@${userSubject(founder)}`,
    `document:payroll#viewer@${userSubject(assistant)}[office_hours:{"opens":9,"closes":17}]`,
  ]
  for (const group of groups) {
    const folder = `folder:group-${group.number}`
    const [owner] = group.owners.keys()
    relationships.push(`${folder}#viewer@passport/group:${group.id}#member`)
    if (owner) relationships.push(`${folder}#owner@${userSubject(owner)}`)
    if (group.number % 6 === 0) relationships.push(`${folder}#parent@folder:company`)
    for (let index = 0; index <= group.number % 3; index++) {
      const document = `document:${pick(documents, group.number + index, 400)}-${group.number}-${index}`
      relationships.push(`${document}#folder@${folder}`)
      relationships.push(`${document}#editor@passport/group:${group.id}#member`)
      if (owner) relationships.push(`${document}#reviewer@${userSubject(owner)}`)
    }
  }
  const text = [
    'schema: |-',
    schema.slice(1),
    'relationships: |-',
    ...relationships.map((line) => `  ${line}`),
    'assertions:',
    '  assertTrue:',
    `    - document:rules#view@${userSubject(outsider)}`,
    `    - folder:company#view@${userSubject(founder)}`,
    `    - document:payroll#view@${userSubject(founder)}`,
    `    - 'document:payroll#view@${userSubject(assistant)} with {"hour": 10}'`,
    '  assertCaveated:',
    `    - document:payroll#view@${userSubject(assistant)}`,
    '  assertFalse:',
    `    - document:rules#view@${userSubject(banned)}`,
    `    - document:payroll#view@${userSubject(outsider)}`,
    `    - 'document:payroll#view@${userSubject(assistant)} with {"hour": 20}'`,
  ]
  return `${text.join('\n')}\n`
}
