import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Decision, decide, listLimits, type Person, type Request } from './decide.ts'

const account: Person = {
  record: 'account',
  isReleased: false,
  isInTrash: false,
  hasEnded: false,
  disabledBy: 'nobody',
  hasOtherLogins: false,
  hasOtherOrgs: false,
  hasGlobalRoles: false,
}
const signedInBefore: Person = { ...account, record: 'none' }

type Case = [
  what: string,
  request: Request,
  person: Partial<Person> | undefined,
  decision: Decision,
  nameIsTaken?: true,
]

/** The rules of who may touch whom. */
const cases: Case[] = [
  ['an unknown object id creates an account', 'create', undefined, 'create'],
  ['another user with the name or email is never joined', 'create', undefined, 'uniqueness', true],
  ['a provisioned user is not created twice', 'create', {}, 'uniqueness'],
  ['a user in the trash comes back', 'create', { isInTrash: true, isReleased: true }, 'restore'],
  ['one whom an administrator deleted comes back too', 'create', { isInTrash: true }, 'restore'],
  ['a released member comes back', 'create', { record: 'membership', isReleased: true, hasEnded: true }, 'restore'],
  ['nobody comes back with a name that is taken now', 'create', { isInTrash: true }, 'uniqueness', true],
  ['a user who signed in before is adopted', 'create', signedInBefore, 'adopt-account'],
  ['with other logins, only the membership', 'create', { ...signedInBefore, hasOtherLogins: true }, 'adopt-membership'],
  [
    'with other organisations, only the membership',
    'create',
    { ...signedInBefore, hasOtherOrgs: true },
    'adopt-membership',
  ],
  ['with roles, only the membership', 'create', { ...signedInBefore, hasGlobalRoles: true }, 'adopt-membership'],
  ['a filter by the object id adopts', 'find', signedInBefore, 'adopt-account'],
  ['a filter finds a provisioned user', 'find', {}, 'read'],
  ['a filter finds nobody', 'find', undefined, 'not-found'],
  ['a filter restores nobody', 'find', { isInTrash: true, isReleased: true }, 'not-found'],
  ['a filter brings back no released member', 'find', { record: 'membership', isReleased: true }, 'not-found'],
  ['a provisioned user is read', 'read', {}, 'read'],
  ['users of others are not found', 'read', signedInBefore, 'not-found'],
  ['users of others are not changed', 'change', signedInBefore, 'not-found'],
  ['users of others are not disabled', 'deactivate', signedInBefore, 'not-found'],
  ['users of others are not deleted', 'delete', signedInBefore, 'not-found'],
  ['a deleted user is not found', 'change', { isInTrash: true, isReleased: true }, 'not-found'],
  ['a provisioned account is changed', 'change', {}, 'change-account'],
  ['an account with roles is not changed', 'change', { hasGlobalRoles: true }, 'store-only'],
  ['an account of several organisations is not changed', 'change', { hasOtherOrgs: true }, 'store-only'],
  ['an adopted member is not changed', 'change', { record: 'membership' }, 'store-only'],
  ['an account with other logins is not changed', 'change', { hasOtherLogins: true }, 'store-only'],
  ['a leaver is disabled', 'deactivate', {}, 'disable-account'],
  ['a leaver with other logins keeps the account', 'deactivate', { hasOtherLogins: true }, 'end-membership'],
  ['a leaver with roles keeps the account', 'deactivate', { hasGlobalRoles: true }, 'end-membership'],
  ['a leaver with another organisation keeps the account', 'deactivate', { hasOtherOrgs: true }, 'end-membership'],
  ['an adopted leaver keeps the account', 'deactivate', { record: 'membership' }, 'end-membership'],
  ['a leaver leaves once', 'deactivate', { record: 'membership', hasEnded: true }, 'nothing'],
  ['a disabled leaver is disabled once', 'deactivate', { disabledBy: 'scim' }, 'nothing'],
  ['a returner is enabled', 'activate', { disabledBy: 'scim' }, 'enable-account'],
  ['a returner becomes a member', 'activate', { record: 'membership', hasEnded: true }, 'resume-membership'],
  ['an active user stays active', 'activate', {}, 'nothing'],
  ['what an administrator disabled stays disabled', 'activate', { disabledBy: 'administrator' }, 'keep-disabled'],
  [
    'a disabled user who got roles stays disabled',
    'activate',
    { disabledBy: 'scim', hasGlobalRoles: true },
    'keep-disabled',
  ],
  ['a deleted leaver is in the trash', 'delete', {}, 'trash-account'],
  ['a deleted leaver with other logins keeps the account', 'delete', { hasOtherLogins: true }, 'release-membership'],
  ['a deleted leaver with roles keeps the account', 'delete', { hasGlobalRoles: true }, 'release-membership'],
  ['a deleted adopted member keeps the account', 'delete', { record: 'membership' }, 'release-membership'],
]

test.for(cases)('%s (%s)', ([, request, facts, decision, nameIsTaken]) => {
  expect(decide(request, facts && { ...account, ...facts }, nameIsTaken)).toBe(decision)
})

test('SCIM disables, enables, changes or deletes no account with roles, other organisations or without a record', () => {
  const person = fc.record<Person>({
    record: fc.constantFrom('none', 'account', 'membership'),
    isReleased: fc.boolean(),
    isInTrash: fc.boolean(),
    hasEnded: fc.boolean(),
    disabledBy: fc.constantFrom('nobody', 'scim', 'administrator'),
    hasOtherLogins: fc.boolean(),
    hasOtherOrgs: fc.boolean(),
    hasGlobalRoles: fc.boolean(),
  })
  const onAccount: Decision[] = ['disable-account', 'enable-account', 'change-account', 'trash-account']
  const request = fc.constantFrom<Request>('create', 'find', 'read', 'change', 'activate', 'deactivate', 'delete')
  fc.assert(
    fc.property(person, request, fc.boolean(), (person, request, nameIsTaken) => {
      const decision = decide(request, person, nameIsTaken)
      if (listLimits(person).length > 0) expect(onAccount).not.toContain(decision)
      if (person.disabledBy === 'administrator') expect(decision).not.toBe('enable-account')
      if (nameIsTaken && request === 'create') expect(['uniqueness']).toContain(decision)
    }),
  )
})
